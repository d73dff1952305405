/**
 * The call machine: `step(state, event, now) → { state, effects }`. No clock, no chance, no I/O; `now` is milliseconds since
 * the epoch. The engine (call-engine/) loads, steps and commits; effects.ts says what a step may ask for.
 *
 * Outbound. `intent`: the consumer's backend has created the call; the agent's app must start it within two minutes, else
 * it ends CANCELLED by SYSTEM. `dialing`: the app has started it; the agent is reserved and their audio set up, then the
 * customer is called; the agent hears the carrier's tones or our ring-back. The customer's answer leads to `talking`; any
 * final answer of the carrier, the ring time-out, or the agent leaving ends the call.
 *
 * Inbound. `arriving`: the consumer's lookup hook is asked about the caller, two seconds at most; an owner is reserved already, unless
 * another call rings at them. Then the caller hears ringing (`awaiting-owner`) until that call releases the owner or they answer it. `ivr`: a
 * flow has the caller; the carrier is answered, and inputs go to the interpreter (ivr/interpret.ts), which plays, listens, hands
 * over or ends. An agent whom it names is looked for and then rings (`offering`, `wait` is null). Whoever was handed over and
 * is taken by nobody comes back, where the flow has a way on. A caller who was answered hears hold audio from then on.
 *
 * `answering`: an unanswered caller has entered a queue with `answerWhileWaiting`, and the carrier has been sent a 200. Its
 * confirmation leads to `waiting` and hold audio. Once answered, the caller stays answered in later queues.
 *
 * `waiting`: the caller hears ringing (180), or hold audio once answered, and waits in the first of the queues in `wait.stops`; dispatch offers the
 * call when somebody is free; when the queue's max_wait is over the call moves to the next queue, or ends TIMEOUT. `offering`:
 * it rings at one agent or several (a queue), or at the owner of a personal line (`wait` is null). An accept leads to
 * `connecting`; a decline or a ring time-out takes that offer away, and with none left the call waits again (queue) or ends
 * (personal line). `connecting`: an agent has accepted; when their audio stands the carrier is sent 200, and its
 * confirmation leads to `talking`; a caller who was answered before is there at once. Audio that does not come up gives the call back to its queue.
 *
 * `talking`: both sides are there. The agent may hold, mute, send digits, move to another device; an agent whose sockets or
 * network are gone has a grace of 30 s to come back. Where `record` says so the conversation is recorded from its first moment to its end,
 * hold and transfers included; who has the call may pause that. Either side's hang-up, the consumer, the end of the grace, a lost
 * media node or a silent network ends the call.
 *
 * Whoever pays and has run out ends any call that rings or runs, whatever its phase (`credit-exhausted`). So does the operator's
 * maximum duration (`endBy`).
 *
 * A conversation may be handed on while it goes on (transfer.ts): to a colleague or through a queue, back to who had
 * it when nobody takes it.
 *
 * `ended`: terminal. Nothing leads out of it, and `end` (shared.ts) alone leads into it, so each call says
 * call.ended once. Time passes only by `tick`: every deadline is a field of the state, and `nextDeadline` names the earliest.
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

/** @param flow the flow that has, or had, the caller: stored once beside the state; null: none */
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

/** Somebody's phone rings or is off the hook. Before that there is nothing to pay, and nothing to end. */
const costs = (state: CallState): state is Exclude<LiveState, IntentState | CallbackState> =>
  state.phase !== 'intent' && state.phase !== 'callback' && state.phase !== 'ended';

/** The earliest moment at which a `tick` may change this state; null when only events can. */
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
