/** connecting: an agent has accepted; their audio is connected, then the carrier is answered. */
import { failures } from '@clarion/protocol';
import type { Route } from '@clarion/protocol/media';
import type { Flow } from '../ivr/flow-run.ts';
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { outcomes } from './outcome.ts';
import { conversationRoute } from './route.ts';
import type { CallState, ConnectingState } from './state.ts';
import { ANSWER_CONFIRM_MS, HANGUP_CONFIRM_MS, LATE_CHECK_MS, REPORTS_AFTER_OUTAGE_MS } from './timing.ts';
import { abandonedLeg, changeSide } from './agent-side.ts';
import {
  answeredMeanwhile,
  assignmentOf,
  backToQueue,
  commonEnding,
  countMissed,
  notTaken,
} from './inbound.ts';
import type { NotTaken } from './inbound.ts';
import { announcementEnded } from './in-queue.ts';
import { end, liveBaseOf, media, notifyAgent, routed, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { talk } from './talking.ts';

export function stepConnecting(
  state: ConnectingState,
  event: CallEvent,
  now: number,
  flow: Flow | null,
): Step {
  const ending = commonEnding(state, event);
  if (ending) return end(state, ending, now);
  const { agentId } = state.agent;
  switch (event.type) {
    case 'hangup':
    case 'decline':
      if (event.agentId !== agentId || state.hungUp) return unchanged(state);
      return state.answered ? declined(state, now, flow) : agentHangsUp(state, now);
    case 'resume':
      if (state.hungUp) return unchanged(state);
      break;
    case 'agent-removed':
      if (event.agentId !== agentId) return unchanged(state);
      // A caller whose call has been answered would hear nothing in a queue.
      return state.answering
        ? end(state, outcomes.agentDisconnected(), now)
        : connectFailed(state, 'The agent was removed.', now, flow);
    case 'mute':
      return event.agentId === agentId && event.muted !== state.muted
        ? { state: { ...state, muted: event.muted }, effects: [notifyAgent(agentId, { message: 'updated' })] }
        : unchanged(state);
    case 'leg-played':
      return announcementEnded(state, event) ?? unchanged(state);
    case 'leg-connected':
      if (event.legId === state.carrierLegId) return customerConnected(state, event, now);
      break;
    case 'leg-ended':
      // A leg that was never connected cannot resume after a reload, so the call is offered to the next agent.
      if (event.legId === state.agent.legId && !state.answering && !state.agent.previous) {
        return notConnected(state, event.end.message, now, flow);
      }
      // The leg of an agent who hung up has not been lost.
      if (state.hungUp) return unchanged(state);
      break;
    case 'command-failed':
      if (event.command === 'carrier:answer') return end(state, outcomes.systemError(event.message), now);
      if (event.legId === state.agent.legId && !state.answering && !state.agent.previous) {
        return notConnected(state, event.message, now, flow);
      }
      break;
    case 'tick':
      if (now < state.connectBy) return unchanged(state);
      // Agent and caller may be talking since media answered: its report, which the outage delayed, comes first.
      if (now > state.connectBy + LATE_CHECK_MS && !state.extended) {
        const connectBy = now + REPORTS_AFTER_OUTAGE_MS;
        return { state: { ...state, connectBy, extended: true }, effects: [] };
      }
      return state.answering
        ? end(state, outcomes.networkError('answer_not_acknowledged'), now)
        : notConnected(state, failures.agent_audio_failed.text, now, flow);
    default:
      break;
  }
  const change = changeSide(state.agent, event, now);
  if (!change) return unchanged(state);
  const abandoned = abandonedLeg(state.agent, event);
  const next: ConnectingState = { ...state, agent: change.side };
  const effects: Effect[] = [
    ...change.effects,
    ...(abandoned === null ? [] : [media(state, { command: 'leg:hangup', legId: abandoned })]),
  ];
  if (!change.connected) return { state: next, effects };
  const byMedia = event.type === 'leg-connected' && event.answered === true;
  if (state.hungUp && !state.answering && !byMedia) return declined(state, now, flow);
  // A call that was answered before (by a flow or a queue) needs no second 200.
  if (state.answered) return converse(next, effects, now);
  return byMedia && !state.answering ? awaitAck(next, effects, now) : answer(next, effects, now);
}

/**
 * The agent hangs up or declines. If the call has been answered, it is a conversation that ends when the carrier acknowledges the 200. Media may be
 * answering it by itself just now: only what it reports about the agent's leg, which is ended, tells whether it has.
 */
function agentHangsUp(state: ConnectingState, now: number): Step {
  if (state.answering) return { state: { ...state, hungUp: true }, effects: [] };
  return {
    state: { ...state, hungUp: true, connectBy: now + HANGUP_CONFIRM_MS },
    effects: [media(state, { command: 'leg:hangup', legId: state.agent.legId })],
  };
}

/** The agent's audio is not connected, because they hung up or because it failed. */
const notConnected = (state: ConnectingState, message: string, now: number, flow: Flow | null): Step =>
  state.hungUp ? declined(state, now, flow) : connectFailed(state, message, now, flow);

/** The agent's audio is connected. The route is sent before the 200, so that the caller's first words are not lost. */
function answer(state: ConnectingState, effects: Effect[], now: number): Step {
  const { state: next, effect } = routed(state, answerRoute(state));
  if (state.answering) return { state: next, effects: [...effects, effect] };
  return awaitAck(
    next,
    [...effects, effect, media(state, { command: 'carrier:answer', legId: state.carrierLegId })],
    now,
  );
}

/** The carrier has been or is being sent a 200. */
const awaitAck = (state: ConnectingState, effects: Effect[], now: number): Step => ({
  state: { ...state, answering: true, connectBy: now + ANSWER_CONFIRM_MS },
  effects: [...effects, { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTING' }],
});

const answerRoute = (state: ConnectingState): Route =>
  conversationRoute({ ...state, held: false, queue: null, transfer: null, monitors: [] });

/**
 * How media answers the call by itself when the agent's audio is connected: `answers` of `agent:connect`. The revision of the route was reserved
 * when the agent accepted.
 *
 * @returns null if the call is answered already, or the agent is not being connected
 */
export function answerByMedia(state: CallState): { legId: string; revision: number; route: Route } | null {
  if (state.phase !== 'connecting' || state.answered || state.answering) return null;
  return { legId: state.carrierLegId, revision: state.revision, route: answerRoute(state) };
}

/** The carrier has acknowledged the 200 that we ordered, or that media sent by itself. */
function customerConnected(
  state: ConnectingState,
  event: Extract<CallEvent, { type: 'leg-connected' }>,
  now: number,
): Step {
  const { codec, agent } = event;
  if (state.answering) return answered(state, [], codec, now);
  const change = agent ? changeSide(state.agent, { type: 'leg-connected', ...agent }, now) : null;
  return change && !state.answered
    ? answered({ ...state, agent: change.side }, change.effects, codec, now)
    : (answeredMeanwhile(state, event, now) ?? unchanged(state));
}

function answered(state: ConnectingState, before: Effect[], codec: string, now: number): Step {
  const effects: Effect[] = [
    ...before,
    { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTED', stats: { codec } },
  ];
  // The two hear each other since the route that was set before the 200. It is sent again to record them.
  return converse({ ...state, connectedAt: now }, effects, now, !state.record);
}

/** The conversation begins. If the agent hung up meanwhile, it is over as well; both are recorded. */
function converse(state: ConnectingState, effects: Effect[], now: number, isRouted = false): Step {
  const begun = talk(
    {
      ...liveBaseOf(state),
      phase: 'talking',
      mediaNodeId: state.mediaNodeId,
      carrierLegId: state.carrierLegId,
      agent: state.agent,
      assignmentType: assignmentOf(state),
      queue: state.wait?.stops[0] ?? null,
      held: false,
      muted: state.muted,
      answeredAt: now,
      transfer: null,
      transferFailed: null,
      transferredBy: null,
      declined: state.wait?.declined ?? [],
      monitors: [],
      recordingPaused: false,
    },
    effects,
    now,
    isRouted,
  );
  return state.hungUp && begun.state.phase === 'talking'
    ? end(begun.state, outcomes.completedBy('AGENT'), now, { before: begun.effects })
    : begun;
}

/** The agent accepted, then declined before anyone was connected. */
function declined(state: ConnectingState, now: number, flow: Flow | null): Step {
  const { agentId } = state.agent;
  const record: Effect = { kind: 'record', type: 'DECLINED', agentId };
  if (!state.wait) {
    const over: NotTaken = {
      outcome: outcomes.ownerDeclined(),
      agentId,
      change: 'declined',
      effects: [record],
    };
    return notTaken(state, over, releaseConnecting(state, 'declined'), now, flow);
  }
  return backToQueue(state, { ...state.wait, declined: [...state.wait.declined, agentId] }, [
    record,
    ...releaseConnecting(state, 'declined'),
  ]);
}

function connectFailed(state: ConnectingState, message: string, now: number, flow: Flow | null): Step {
  const { agentId } = state.agent;
  const record: Effect = { kind: 'record', type: 'CONNECT_FAILED', agentId, metadata: { message } };
  if (!state.wait) {
    const over: NotTaken = {
      outcome: outcomes.ownerDidNotAnswer(),
      agentId,
      change: 'failed',
      effects: [record],
    };
    return notTaken(state, over, releaseConnecting(state, 'failed'), now, flow);
  }
  return backToQueue(state, countMissed(state.wait, [agentId]), [
    record,
    ...releaseConnecting(state, 'failed'),
  ]);
}

/** Releases an agent who had accepted and does not get the call. */
export function releaseConnecting(
  state: Pick<ConnectingState, 'agent' | 'mediaNodeId'>,
  change: 'declined' | 'failed',
): Effect[] {
  const { agentId, legId, previous } = state.agent;
  return [
    { kind: 'patch', patch: { agentId: null } },
    { kind: 'leave', who: { agentId }, reason: 'ENDED' },
    { kind: 'leg', leg: 'AGENT', state: 'FAILED', agentId },
    { kind: 'agent', agentId, change },
    ...[legId, ...(previous ? [previous.legId] : [])].map((leg) =>
      media(state, { command: 'leg:hangup', legId: leg }),
    ),
    // The agent's app shows the call already, so it is notified that the call has left it.
    notifyAgent(agentId, { message: 'left' }),
    notifyAgent(agentId, { message: 'agent' }),
    { kind: 'dispatch-agent', agentId },
  ];
}
