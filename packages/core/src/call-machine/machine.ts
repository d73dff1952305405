/**
 * The call machine: `step(state, event, now) → { state, effects }`. No clock, no randomness, no I/O; `now` is milliseconds since the epoch.
 * The engine (call-engine/) loads, steps and commits; effects.ts lists what a step may request.
 *
 * Outbound. `intent`: the consumer's backend has created the call. The agent's app must start it within two minutes, otherwise it ends as
 * CANCELLED by SYSTEM. `dialing`: the app has started it. The agent is reserved and their audio connected, then the customer is dialled;
 * the agent hears the carrier's tones or our ringback. The customer's answer leads to `talking`; any other final response of the carrier,
 * the ring timeout, or the agent leaving ends the call.
 *
 * Inbound. `arriving`: the consumer's lookup hook is queried about the caller, for two seconds at most. An owner is reserved already,
 * unless they are being rung by another call. The caller then hears ringing (`awaiting-owner`) until that call releases the owner or they
 * answer it. A provider that ends unanswered calls limits how long an owner is rung (`ringUntil`). `ivr`: an IVR flow has the caller. The
 * carrier is answered, and inputs go to the interpreter (ivr/interpret.ts), which plays prompts, reads keys, transfers the caller or ends
 * the call. An agent named by the flow is searched for and then rung (`offering`, `wait` is null). If no agent answers, the caller returns
 * to the flow where it has an exit for that. Once answered, a caller hears hold audio while waiting.
 *
 * `answering`: an unanswered caller has entered a queue with `answerWhileWaiting`, and the carrier has been sent a 200. Its ACK leads to
 * `waiting` and hold audio. Once answered, the call stays answered in later queues.
 *
 * `waiting`: the caller hears ringing (180), or hold audio once answered, and waits in the first of the queues in `wait.stops`. Dispatch
 * offers the call when an agent is idle. When the queue's max_wait has passed, the call moves to the next queue or ends with TIMEOUT.
 * `offering`: the call rings one or several agents (a queue), or the owner of a personal line (`wait` is null). An accept leads to
 * `connecting`; a decline or a ring timeout removes that offer, and with none left the call waits again (queue) or ends (personal line).
 * `connecting`: an agent has accepted. When their audio is connected, the carrier is sent a 200, by media itself or by our command, and its ACK
 * leads to `talking`; a call that was answered before gets there immediately. If the audio fails, the call returns to its queue.
 *
 * `talking`: both sides are connected. The agent may hold, mute, send digits or move to another device. An agent whose sockets or network
 * are gone has 30 s to return. Where `record` is set, the conversation is recorded from its first moment to its end, hold and transfers
 * included; the agent may pause the recording. A hang-up on either side, the consumer, the end of those 30 s, a lost media node or a silent
 * network ends the call.
 *
 * Insufficient credit ends any call that rings or is connected, in every phase (`credit-exhausted`). So does the operator's maximum
 * duration (`endBy`).
 *
 * A conversation may be transferred while it continues (transfer.ts): to another agent or through a queue. If no agent accepts, it returns
 * to the agent who transferred it.
 *
 * `ended`: terminal. No event leads out of it, and only `end` (shared.ts) leads into it, so each call publishes call.ended once. Time
 * passes only by `tick`: every deadline is a field of the state, and `nextDeadline` returns the earliest.
 */
import type { Flow } from '../ivr/flow-run.ts';
import type { CallEvent } from './event.ts';
import { stepAnswering } from './answering.ts';
import { stepArriving } from './arriving.ts';
import { stepAwaitingOwner } from './awaiting-owner.ts';
import { stepCallback } from './callback.ts';
import { stepConnecting } from './connecting.ts';
import { stepOffering, stepWaiting } from './inbound.ts';
import { stepDialing, stepIntent } from './intent.ts';
import { offDirectPath } from './direct-path.ts';
import { stepIvr } from './ivr.ts';
import { offerEndsAt } from './offers.ts';
import { monitorsDeadline } from './monitors.ts';
import { end, graceEndsAt, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { stepTalking } from './talking.ts';
import { holderGraceEndsAt, transferDeadline } from './transfer.ts';
import { assertNever, outcomes } from './outcome.ts';
import type { CallbackState, CallState, IntentState, LiveState, QueueWait } from './state.ts';

export type { Step } from './shared.ts';

/** @param flow the flow of the call, stored once next to the state; null: none */
export function step(state: CallState, event: CallEvent, now: number, flow: Flow | null = null): Step {
  if (event.type === 'credit-exhausted') {
    return costs(state) ? end(state, outcomes.creditExhausted(), now) : unchanged(state);
  }
  if (event.type === 'monitor-modes' && state.phase !== 'talking' && state.phase !== 'ended') {
    return offDirectPath(state, event.allowed);
  }
  if (event.type === 'tick' && state.phase !== 'ended' && now >= (state.endBy ?? Infinity)) {
    return end(state, outcomes.tooLong(state.phase === 'talking'), now);
  }
  switch (state.phase) {
    case 'intent':
      return stepIntent(state, event, now);
    case 'callback':
      return stepCallback(state, event, now);
    case 'dialing':
      return stepDialing(state, event, now);
    case 'arriving':
      return stepArriving(state, event, now);
    case 'awaiting-owner':
      return stepAwaitingOwner(state, event, now);
    case 'ivr':
      return stepIvr(state, event, now, flow);
    case 'answering':
      return stepAnswering(state, event, now);
    case 'waiting':
      return stepWaiting(state, event, now, flow);
    case 'offering':
      return stepOffering(state, event, now, flow);
    case 'connecting':
      return stepConnecting(state, event, now, flow);
    case 'talking':
      return stepTalking(state, event, now);
    case 'ended':
      return unchanged(state);
    default:
      return assertNever(state);
  }
}

/** A phone is ringing or answered. Before that there is nothing to bill and nothing to end. */
const costs = (state: CallState): state is Exclude<LiveState, IntentState | CallbackState> =>
  state.phase !== 'intent' && state.phase !== 'callback' && state.phase !== 'ended';

/** The earliest moment at which a `tick` may change this state; null if only other events can. */
export function nextDeadline(state: CallState): number | null {
  return state.phase === 'ended' ? null : earliest(phaseDeadline(state), state.endBy ?? null);
}

function phaseDeadline(state: LiveState): number | null {
  switch (state.phase) {
    case 'intent':
      return state.startBy;
    case 'dialing':
      return earliest(state.giveUpAt, graceEndsAt(state.agent));
    case 'arriving':
      return state.proceedAt;
    case 'awaiting-owner':
      return earliest(state.giveUpAt, state.seekAt);
    case 'ivr':
      return state.wakeAt;
    case 'answering':
      return state.answerBy;
    case 'waiting':
      return state.leaving ? state.leaving.by : waitDeadline(state.wait);
    case 'callback':
    case 'offering':
      return earliest(waitDeadline(state.wait), ...state.offers.map(offerEndsAt));
    case 'connecting':
      return state.connectBy;
    case 'talking':
      return earliest(
        holderGraceEndsAt(state),
        state.transfer && transferDeadline(state.transfer),
        monitorsDeadline(state),
      );
    default:
      return assertNever(state);
  }
}

const waitDeadline = (wait: QueueWait | null): number | null =>
  wait && earliest(wait.leaveAt, wait.relaxAt, wait.announceAt);

const earliest = (...times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
};
