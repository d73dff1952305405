/** ivr: an IVR flow has the caller. */
import type { Flow } from '../ivr/flow-run.ts';
import type { CallEvent } from './event.ts';
import { outcomes } from './outcome.ts';
import type { IvrState, OfferingState } from './state.ts';
import { commonEnding, ringing } from './inbound.ts';
import { sessionEnds } from './ivr-session.ts';
import { offerToOne } from './offers.ts';
import { inboundBaseOf, end, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { runFlow } from './run-flow.ts';

type OfferEvent = Extract<CallEvent, { type: 'offer' }>;

export function stepIvr(state: IvrState, event: CallEvent, now: number, flow: Flow | null): Step {
  const ending = commonEnding(state, event);
  if (ending) return end(state, ending, now);
  switch (event.type) {
    case 'leg-connected':
      return event.legId === state.carrierLegId && !state.answered
        ? answered(state, event.codec, now, flow)
        : unchanged(state);
    case 'leg-dtmf':
      // Media repeats a key until it is acknowledged, each time with the moment it was pressed.
      if (event.legId !== state.carrierLegId || !state.answered || event.at === state.keyAt)
        return unchanged(state);
      return runFlow({ ...state, keyAt: event.at }, flow, { kind: 'key', key: event.digit }, now);
    case 'leg-played':
      if (event.legId !== state.carrierLegId || event.playId !== state.flow.playId) return unchanged(state);
      return runFlow(state, flow, { kind: 'prompt-ended', playId: event.playId, played: event.played }, now);
    case 'offer':
      return rings(state, event, now);
    case 'agent-unavailable':
      return state.seeking === event.agentId
        ? runFlow(state, flow, { kind: 'overflowed' }, now)
        : unchanged(state);
    case 'command-failed':
      return event.command === 'carrier:answer' && !state.answered
        ? end(state, outcomes.systemError(event.message), now)
        : unchanged(state);
    case 'tick':
      return now >= state.wakeAt ? woken(state, now, flow) : unchanged(state);
    default:
      return unchanged(state);
  }
}

/** The carrier has acknowledged the 200: from now on the caller hears audio and can press keys. */
function answered(state: IvrState, codec: string, now: number, flow: Flow | null): Step {
  return runFlow({ ...state, answered: true, connectedAt: now }, flow, { kind: 'entered' }, now, [
    { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTED', stats: { codec } },
  ]);
}

function woken(state: IvrState, now: number, flow: Flow | null): Step {
  if (!state.answered) {
    return end(state, outcomes.networkError('answer_not_acknowledged'), now);
  }
  const kind = state.seeking === null ? 'time-over' : 'overflowed';
  return runFlow(state, flow, { kind }, now);
}

/** The agent requested by the flow is reserved and rung. Any other agent is released. */
function rings(state: IvrState, event: OfferEvent, now: number): Step {
  const { offer, effects } = offerToOne(state.seeking, event, now);
  if (!offer) return { state, effects };
  const next: OfferingState = { ...inboundBaseOf(state), phase: 'offering', offers: [offer], wait: null };
  return {
    state: next,
    effects: [...effects, ...sessionEnds(state.flow, 'AGENT'), ...ringing(offer)],
  };
}
