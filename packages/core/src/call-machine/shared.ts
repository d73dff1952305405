/** Functions shared by several phases. */
import type { IvrOutcome, WithdrawReason } from '@clarion/protocol';
import type { RecordPlan, Route } from '@clarion/protocol/media';
import type { CallPatch, Effect, MonitorNotice, ReleaseReason } from './effects.ts';
import { sipStatusOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { agentSideOf, agentSidesOf, mediaNodeOf, offersOf, reservedAgentIds } from './state.ts';
import type {
  AgentSide,
  CallState,
  EndedState,
  InboundBase,
  LiveBase,
  LiveState,
  Monitor,
  QueueWait,
  TalkingState,
} from './state.ts';
import { AGENT_GRACE_MS, DEFAULT_MAX_CALL_SECONDS } from './timing.ts';
import { ivrOutcomeOf, sessionEnds } from './ivr-session.ts';

export interface Step<S extends CallState = CallState> {
  state: S;
  effects: Effect[];
}

/** The event does not fit the state: nothing changes. */
export const unchanged = (state: CallState): Step => ({ state, effects: [] });

/** Ends a live call: history first, then its agents are released and notified, and media releases its legs. */
export function end(
  state: LiveState,
  outcome: Outcome,
  now: number,
  options: {
    before?: Effect[];
    ivr?: IvrOutcome;
    released?: Released;
  } = {},
): Step<EndedState> {
  const held = reservedAgentIds(state);
  const side = agentSideOf(state);
  const ringing = offersOf(state);
  const finished = finish(state, outcome, now, {
    ...(side && { agentId: side.agentId }),
    ...(state.phase === 'talking' && { durationSeconds: wholeSeconds(state.answeredAt, now) }),
  });
  const effects: Effect[] = [
    ...(options.before ?? []),
    ...(state.phase === 'ivr' ? sessionEnds(state.flow, options.ivr ?? ivrOutcomeOf(outcome)) : []),
    ...finished.effects,
    ...held.map((agentId) => releaseAtEnd(state, agentId, options.released)),
    ...ringing.flatMap(({ agentId }) =>
      offerEnded(agentId, changeOf(agentId, options.released), outcome.terminationReason),
    ),
    ...notifyEnded(state),
    ...(state.phase === 'talking' ? state.monitors : []).flatMap((monitor) =>
      notifyMonitor(monitor, { message: 'monitor-ended', reason: 'CALL_ENDED' }),
    ),
    ...held.map((agentId): Effect => ({ kind: 'dispatch-agent', agentId })),
    ...release(state, outcome),
  ];
  return { state: finished.state, effects };
}

interface Released {
  agentIds: number[];
  change: ReleaseReason;
}

/** Undefined: nothing happened to the agent but the end of the call. */
const changeOf = (agentId: number, released?: Released): ReleaseReason | undefined =>
  released?.agentIds.includes(agentId) ? released.change : undefined;

function releaseAtEnd(state: LiveState, agentId: number, released?: Released): Effect {
  if (state.phase === 'talking' && state.agent.agentId === agentId) return talked(state);
  return { kind: 'agent', agentId, change: changeOf(agentId, released) ?? 'free' };
}

/** To the apps of an agent whom the call was ringing. A missed call may have set the agent OFFLINE. */
const offerEnded = (
  agentId: number,
  change: ReleaseReason | undefined,
  ending: Outcome['terminationReason'],
): Effect[] => [
  notifyAgent(agentId, { message: 'withdrawn', reason: withdrawReasonOf(change, ending) }),
  ...(change === 'missed' ? [notifyAgent(agentId, { message: 'agent' })] : []),
];

function withdrawReasonOf(
  change: ReleaseReason | undefined,
  ending: Outcome['terminationReason'],
): WithdrawReason {
  if (change === 'declined') return 'DECLINED';
  if (change === 'missed' || change === 'unreached') return 'TIMEOUT';
  return ending === 'NO_ANSWER' || ending === 'TIMEOUT' ? 'TIMEOUT' : 'CANCELLED';
}

/** Releases the agent who had the conversation, with the wrap-up time of its queue. No other agent gets wrap-up. */
export const talked = ({ agent, queue }: Pick<TalkingState, 'agent' | 'queue'>): Effect => ({
  kind: 'agent',
  agentId: agent.agentId,
  change: 'talked',
  ...(queue && { wrapUpSeconds: queue.wrapUpSeconds }),
});

/** The final effects of a call, whatever it had reserved; also for a call that is rejected on arrival. */
export function finish(
  call: { callId: number; revision: number },
  outcome: Outcome,
  now: number,
  about: { agentId?: number; durationSeconds?: number } = {},
): Step<EndedState> {
  const patch: CallPatch = { status: outcome.status, endedAt: now, outcome };
  return {
    state: { phase: 'ended', callId: call.callId, revision: call.revision, outcome, endedAt: now },
    effects: [
      {
        kind: 'record',
        type: 'ENDED',
        ...about,
        metadata: { terminationReason: outcome.terminationReason, terminatedBy: outcome.terminatedBy },
      },
      { kind: 'patch', patch },
      { kind: 'leave', who: 'ALL', reason: 'ENDED' },
      { kind: 'publish', event: 'call.ended' },
    ],
  };
}

function notifyEnded(state: LiveState): Effect[] {
  const agentIds =
    state.phase === 'intent' ? [state.agentId] : agentSidesOf(state).map(({ agentId }) => agentId);
  return agentIds.flatMap((agentId) => [
    notifyAgent(agentId, { message: 'ended' }),
    notifyAgent(agentId, { message: 'agent' }),
  ]);
}

function release(state: LiveState, outcome: Outcome): Effect[] {
  const mediaNodeId = mediaNodeOf(state);
  if (mediaNodeId === null) return [];
  // An INVITE without a final response is rejected; a call with our 200 is hung up.
  const refused = 'answered' in state && !state.answered;
  return [
    {
      kind: 'media',
      mediaNodeId,
      order: {
        command: 'call:release',
        ...(refused && { status: sipStatusOf(outcome.terminationReason, outcome.terminatedBy) }),
      },
    },
  ];
}

export const wholeSeconds = (from: number, to: number): number => Math.max(0, Math.floor((to - from) / 1000));

/** The fields that every phase of a live call keeps. */
export const liveBaseOf = ({
  callId,
  revision,
  record,
  mediaPath,
  pricing,
  connectedAt,
  endBy,
}: LiveBase): LiveBase => ({
  callId,
  revision,
  record,
  mediaPath,
  ...(pricing && { pricing }),
  ...(connectedAt !== undefined && { connectedAt }),
  ...(endBy !== undefined && { endBy }),
});

/** When a call that begins now reaches its maximum duration. */
export const endByOf = (now: number, maxCallSeconds = DEFAULT_MAX_CALL_SECONDS): number =>
  now + maxCallSeconds * 1000;

/** The fields that every phase of an inbound call keeps until it is answered. */
export const inboundBaseOf = (state: InboundBase): InboundBase => ({
  ...liveBaseOf(state),
  mediaNodeId: state.mediaNodeId,
  carrierLegId: state.carrierLegId,
  ...(state.ringUntil !== undefined && { ringUntil: state.ringUntil }),
  answered: state.answered,
  flow: state.flow,
  plays: state.plays,
  keyAt: state.keyAt,
});

/** Until when the owner of the line may be rung, who has the line's ring timeout to answer. */
export const ownerRingsUntil = (
  { ringUntil = Infinity }: Pick<InboundBase, 'ringUntil'>,
  ringTimeoutSeconds: number,
  now: number,
): number => Math.min(now + ringTimeoutSeconds * 1000, ringUntil);

/**
 * What to record now: the customer on the left, and the legs that the customer hears on the right. On hold and in a transfer, only the
 * customer.
 */
export function recordOf(state: LiveState): RecordPlan | null {
  if (state.phase !== 'talking' || !state.record) return null;
  const barging = state.monitors.filter(({ mode, connected }) => mode === 'BARGE' && connected);
  const apart = state.held || state.transfer !== null;
  return {
    left: [state.carrierLegId],
    right: apart ? [] : [state.agent.legId, ...barging.map(({ legId }) => legId)],
    paused: state.recordingPaused,
  };
}

/** Sends the whole route. The new state has the next revision. */
export function routed<S extends LiveState & { mediaNodeId: string }>(
  state: S,
  route: Route,
): { state: S; effect: Effect } {
  const revision = state.revision + 1;
  const record = recordOf(state);
  return {
    state: { ...state, revision },
    effect: {
      kind: 'media',
      mediaNodeId: state.mediaNodeId,
      order: { command: 'call:route', revision, route, record },
    },
  };
}

export const media = (
  state: { mediaNodeId: string },
  order: Extract<Effect, { kind: 'media' }>['order'],
): Effect => ({
  kind: 'media',
  mediaNodeId: state.mediaNodeId,
  order,
});

export const notifyAgent = (
  agentId: number,
  what: Extract<Effect, { kind: 'notify-agent' }>['what'],
): Effect => ({
  kind: 'notify-agent',
  agentId,
  what,
});

/** To the app or the dashboard page of a monitor. */
export function notifyMonitor(
  { agentId, sessionId, deviceId, legId }: Monitor,
  what: MonitorNotice,
): Effect[] {
  if (deviceId === null) return [];
  if (agentId !== null) return [notifyAgent(agentId, { ...what, deviceId, monitorId: legId })];
  return sessionId === undefined
    ? []
    : [{ kind: 'notify-session', sessionId, what: { ...what, deviceId, monitorId: legId } }];
}

export const newSide = (event: { agentId: number; deviceId: string; legId: string }): AgentSide => ({
  agentId: event.agentId,
  deviceId: event.deviceId,
  legId: event.legId,
  connected: false,
  ended: false,
  previous: null,
  socketsLostAt: null,
  mediaLostAt: null,
});

/** When the time for a disconnected agent to return is over; null while the agent is connected. */
export function graceEndsAt(side: AgentSide): number | null {
  const since = [side.socketsLostAt, side.mediaLostAt].filter((at) => at !== null);
  return since.length === 0 ? null : Math.min(...since) + AGENT_GRACE_MS;
}

/** Sets the queue's own deadlines on entering the first of `stops`. */
export function enterQueue(
  wait: Omit<QueueWait, 'leaveAt' | 'relaxAt' | 'relaxed' | 'announceAt' | 'announcing'>,
  now: number,
): QueueWait {
  const [stop] = wait.stops;
  if (!stop) throw new Error('a waiting call has no queue');
  const { maxWaitSeconds, skillsWaitSeconds } = stop;
  // The skills count from entry into the first queue, the maximum wait from entry into this one.
  const relaxAt =
    wait.skills.length === 0 || skillsWaitSeconds === null ? null : wait.since + skillsWaitSeconds * 1000;
  const relaxed = relaxAt !== null && now >= relaxAt;
  return {
    ...wait,
    leaveAt: maxWaitSeconds === null ? null : now + maxWaitSeconds * 1000,
    relaxAt: relaxed ? null : relaxAt,
    relaxed,
    announceAt: null,
    announcing: null,
  };
}
