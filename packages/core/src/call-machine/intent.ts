/** intent and dialing: an outbound call until the customer answers. */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { outcomeOfDialling, outcomes } from './outcome.ts';
import { calledIn, isWhatsAppPlan } from './state.ts';
import type { DialingState, IntentState } from './state.ts';
import { AGENT_CONNECT_MS, DIAL_RING_MS, DIAL_SLACK_MS } from './timing.ts';
import { abandonedLeg, changeSide } from './agent-side.ts';
import { calledBackByAnother } from './callback.ts';
import {
  end,
  endByOf,
  graceEndsAt,
  liveBaseOf,
  media,
  newSide,
  notifyAgent,
  routed,
  unchanged,
} from './shared.ts';
import type { Step } from './shared.ts';
import { talk } from './talking.ts';

export function stepIntent(state: IntentState, event: CallEvent, now: number): Step {
  switch (event.type) {
    case 'start':
      // The periodic check, which ends an expired intent, may be late.
      return event.agentId === state.agentId && now < state.startBy
        ? start(state, event, now)
        : unchanged(state);
    case 'hangup':
    case 'decline':
      return event.agentId === state.agentId
        ? end(state, outcomes.cancelledBy('AGENT'), now)
        : unchanged(state);
    case 'terminate':
      return end(state, outcomes.cancelledBy('CONSUMER'), now);
    case 'tick':
      return now >= state.startBy ? end(state, outcomes.intentExpired(), now) : unchanged(state);
    default:
      return unchanged(state);
  }
}

function start(state: IntentState, event: Extract<CallEvent, { type: 'start' }>, now: number): Step {
  const { agentId, deviceId } = event;
  return {
    state: {
      ...liveBaseOf(state),
      endBy: endByOf(now, event.maxCallSeconds),
      phase: 'dialing',
      queue: null,
      wait: null,
      mediaNodeId: event.mediaNodeId,
      agent: newSide(event),
      dial: state.dial,
      carrierLegId: `call-${state.callId}-customer`,
      progress: 'agent',
      muted: false,
      giveUpAt: now + AGENT_CONNECT_MS,
    },
    effects: [
      { kind: 'agent', agentId, change: 'reserve' },
      { kind: 'agent', agentId, change: 'engage' },
      { kind: 'record', type: 'STARTED', agentId, metadata: { deviceId } },
      { kind: 'join', who: 'AGENT', agentId, deviceId },
      { kind: 'leg', leg: 'AGENT', state: 'CONNECTING', agentId, deviceId },
      notifyAgent(agentId, { message: 'updated' }),
      notifyAgent(agentId, { message: 'agent' }),
    ],
  };
}

export function stepDialing(state: DialingState, event: CallEvent, now: number): Step {
  const nextAgent = calledBackByAnother(state, event, now);
  if (nextAgent) return nextAgent;
  switch (event.type) {
    case 'hangup':
      return event.agentId === state.agent.agentId
        ? end(state, outcomes.cancelledBy('AGENT'), now)
        : unchanged(state);
    case 'terminate':
      return end(state, outcomes.cancelledBy('CONSUMER'), now);
    case 'agent-removed':
      return event.agentId === state.agent.agentId
        ? end(state, outcomes.agentDisconnected(), now)
        : unchanged(state);
    case 'mute':
      return event.agentId === state.agent.agentId && event.muted !== state.muted
        ? {
            state: { ...state, muted: event.muted },
            effects: [notifyAgent(event.agentId, { message: 'updated' })],
          }
        : unchanged(state);
    case 'dtmf':
      // Media stores them until the called side accepts DTMF: in early media, otherwise after the answer.
      return event.agentId === state.agent.agentId && isDialled(state)
        ? {
            state,
            effects: [media(state, { command: 'leg:dtmf', legId: state.carrierLegId, digits: event.digits })],
          }
        : unchanged(state);
    case 'leg-ringing':
      return event.legId === state.carrierLegId ? ringing(state, event.trunkId) : unchanged(state);
    case 'leg-connected':
      if (event.legId === state.carrierLegId) return answered(state, event, now);
      break;
    case 'leg-ended':
      if (event.legId === state.carrierLegId) return end(state, outcomeOfDialling(event.end), now);
      break;
    case 'command-failed':
      if (event.command === 'carrier:dial')
        return end(state, outcomes.couldNotDial(event.message, event.reason), now);
      if (event.legId === state.agent.legId && state.progress === 'agent' && !state.agent.previous) {
        return end(state, outcomes.systemError(event.message), now);
      }
      break;
    case 'media-lost':
      return event.mediaNodeId === state.mediaNodeId
        ? end(state, outcomes.systemError('The connection to the media node was lost.'), now)
        : unchanged(state);
    case 'tick':
      return dialingTick(state, now);
    default:
      break;
  }
  const change = changeSide(state.agent, event, now);
  if (!change) return unchanged(state);
  const abandoned = abandonedLeg(state.agent, event);
  const next: DialingState = { ...state, agent: change.side };
  const effects: Effect[] = [
    ...change.effects,
    ...(abandoned === null ? [] : [media(state, { command: 'leg:hangup', legId: abandoned })]),
  ];
  if (!change.connected) return { state: next, effects };
  return state.progress === 'agent' ? dial(next, effects, now) : rerouted(next, effects);
}

/** The customer has a leg. Before that, no leg could store the agent's digits. */
export const isDialled = ({ progress }: Pick<DialingState, 'progress'>): boolean => progress !== 'agent';

/** The agent's audio is connected, so the customer is dialled. */
function dial(state: DialingState, effects: Effect[], now: number): Step {
  return rerouted({ ...state, progress: 'calling', giveUpAt: now + DIAL_RING_MS + DIAL_SLACK_MS }, [
    ...effects,
    {
      kind: 'record',
      type: 'DIALLING',
      agentId: state.agent.agentId,
      metadata: { called: calledIn(state.dial) },
    },
    { kind: 'patch', patch: { status: 'RINGING', ringingAt: now } },
    { kind: 'leg', leg: 'CUSTOMER', state: 'NEW' },
    { kind: 'publish', event: 'call.ringing' },
    media(state, {
      command: 'carrier:dial',
      legId: state.carrierLegId,
      dial: state.dial,
      ringTimeoutMs: DIAL_RING_MS,
    }),
    notifyAgent(state.agent.agentId, { message: 'updated' }),
  ]);
}

function ringing(state: DialingState, trunkId: number | undefined): Step {
  if (state.progress === 'ringing') return unchanged(state);
  return rerouted({ ...state, progress: 'ringing' }, [
    ...carriedBy(state, trunkId),
    { kind: 'record', type: 'RINGING' },
    { kind: 'leg', leg: 'CUSTOMER', state: 'RINGING' },
  ]);
}

/**
 * Plays our ringback once the customer's phone rings. Media plays the carrier's audio instead while there is any; SDP for early media does
 * not mean that the carrier sends audio.
 */
function rerouted(state: DialingState, effects: Effect[]): Step {
  const { agent, progress } = state;
  const heard = progress === 'ringing' ? [{ kind: 'tone' as const, tone: 'ringback' as const }] : [];
  const { state: next, effect } = routed(state, { [agent.legId]: heard });
  return { state: next, effects: [...effects, effect] };
}

/** Media chose one of the plan's trunks. A plan with one trunk needs no step for it. */
function carriedBy({ dial }: DialingState, trunkId: number | undefined): Effect[] {
  if (trunkId === undefined || isWhatsAppPlan(dial) || !dial.backup) return [];
  return [{ kind: 'patch', patch: { sipTrunkId: trunkId } }];
}

function answered(
  state: DialingState,
  { codec, trunkId }: { codec: string; trunkId?: number },
  now: number,
): Step {
  return talk(
    {
      ...liveBaseOf(state),
      connectedAt: now,
      phase: 'talking',
      mediaNodeId: state.mediaNodeId,
      carrierLegId: state.carrierLegId,
      agent: state.agent,
      assignmentType: state.queue ? 'QUEUE' : null,
      queue: state.queue,
      held: false,
      muted: state.muted,
      answeredAt: now,
      transfer: null,
      transferFailed: null,
      transferredBy: null,
      // Agents who declined the callback while it waited.
      declined: state.wait?.declined ?? [],
      monitors: [],
      recordingPaused: false,
    },
    [
      ...carriedBy(state, trunkId),
      { kind: 'join', who: 'CUSTOMER' },
      { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTED', stats: { codec } },
    ],
    now,
  );
}

function dialingTick(state: DialingState, now: number): Step {
  const grace = graceEndsAt(state.agent);
  if (grace !== null && now >= grace) return end(state, outcomes.agentDisconnected(), now);
  if (now < state.giveUpAt) return unchanged(state);
  return state.progress === 'agent'
    ? end(state, outcomes.networkError('agent_audio_failed'), now)
    : end(state, outcomes.customerDidNotAnswer(), now);
}
