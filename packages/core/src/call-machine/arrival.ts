/** How a call begins: the first state of each kind and its first log entries and events. Pure, like the machine. */
import type { FlowRun } from '../ivr/flow-run.ts';
import type { Effect } from './effects.ts';
import { routeInboundCall } from './arriving.ts';
import { endByOf, enterQueue, finish } from './shared.ts';
import type { Step } from './shared.ts';
import { outcomes } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { ArrivingState, CallbackState, DialPlan, IntentState, LiveBase, QueueWait } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { INTENT_START_MS, LOOKUP_MS, LOOKUP_SLACK_MS } from './timing.ts';

/** The first log entry and event of every call. */
const created: Effect[] = [
  { kind: 'record', type: 'CREATED' },
  { kind: 'publish', event: 'call.created' },
];

export function beginIntent(
  input: Pick<LiveBase, 'callId' | 'record' | 'mediaPath' | 'pricing'> & { agentId: number; dial: DialPlan },
  now: number,
): Step<IntentState> {
  return {
    state: { phase: 'intent', ...input, revision: 0, startBy: now + INTENT_START_MS },
    effects: created,
  };
}

/** The call of a callback. It has the caller's position in the queue, and its maximum wait starts again. */
export function beginCallback(
  input: Pick<LiveBase, 'callId' | 'record' | 'mediaPath' | 'pricing'> & {
    dial: DialPlan;
    /** The caller's wait. */
    wait: QueueWait;
    /** The caller's call. */
    callbackOf: number;
  },
  now: number,
): Step<CallbackState> {
  const { wait: before, callbackOf, ...kept } = input;
  const { stops, since, declined, missed, skills } = before;
  const wait = enterQueue({ stops, since, declined, missed, skills }, now);
  const [stop] = stops;
  return {
    state: { phase: 'callback', ...kept, revision: 0, wait, offers: [] },
    effects: [
      ...created,
      { kind: 'record', type: 'QUEUED', metadata: { queueRef: stop?.ref ?? null, callbackOf } },
      { kind: 'patch', patch: { queuedAt: now } },
      ...(stop ? [{ kind: 'dispatch', queueId: stop.queueId } as const] : []),
    ],
  };
}

/**
 * Where an inbound call is routed, decided by its line before the call begins. `owner` contains the result of the attempt to reserve the
 * agent in the same transaction.
 */
export type InboundRoute =
  | { kind: 'flow'; flow: FlowRun }
  | { kind: 'queue'; stops: OverflowHop[] }
  | {
      kind: 'owner';
      agentId: number;
      ringTimeoutSeconds: number;
      /** rung: the agent is being rung by another call. busy: they are on a call. */
      owner: 'reserved' | 'rung' | 'busy' | 'no-device' | 'do-not-disturb';
      /** The owner has no socket: a push notification wakes their devices. */
      waking?: true;
    }
  | { kind: 'none' }
  | { kind: 'disabled' }
  /** The caller hung up before the call could begin: it is recorded as missed. */
  | { kind: 'hung-up' }
  /** A billing account cannot pay for the call. */
  | { kind: 'no-credit' };

export interface Arrival extends Pick<LiveBase, 'callId' | 'record' | 'mediaPath' | 'pricing'> {
  mediaNodeId: string;
  carrierLegId: string;
  route: InboundRoute;
  /** Nobody is rung for longer; absent: no limit. */
  ringUntil?: number;
  /** Whether to query the consumer's lookup hook before anything rings. It is not queried for rejected calls. */
  lookup?: boolean;
  /** Maximum duration of the call; absent: DEFAULT_MAX_CALL_SECONDS. */
  maxCallSeconds?: number;
}

export function beginInboundCall(input: Arrival, now: number): Step {
  const { route } = input;
  const base = {
    callId: input.callId,
    record: input.record,
    mediaPath: input.mediaPath,
    ...(input.pricing && { pricing: input.pricing }),
    endBy: endByOf(now, input.maxCallSeconds),
    mediaNodeId: input.mediaNodeId,
    carrierLegId: input.carrierLegId,
    revision: 0,
    ...(input.ringUntil !== undefined && { ringUntil: input.ringUntil }),
    answered: false,
    flow: route.kind === 'flow' ? route.flow : null,
    plays: 0,
    keyAt: null,
  };
  const arrived: Effect[] = [
    ...created,
    { kind: 'join', who: 'CUSTOMER' },
    { kind: 'leg', leg: 'CUSTOMER', state: 'RINGING' },
  ];
  // Media never accepted a call that is rejected here, so there is nothing to release.
  const refuse = (outcome: Outcome): Step => {
    const { state, effects } = finish(base, outcome, now);
    return { state, effects: [...arrived, ...effects] };
  };
  const next = nextOf(route);
  if (!('kind' in next)) return refuse(next);
  if (!input.lookup) return routeInboundCall(base, next, now, arrived);
  return {
    state: { ...base, phase: 'arriving', next, proceedAt: now + LOOKUP_MS + LOOKUP_SLACK_MS },
    effects: [...arrived, { kind: 'lookup' }],
  };
}

/** What follows the arrival, or how the call ends immediately. */
function nextOf(route: InboundRoute): ArrivingState['next'] | Outcome {
  switch (route.kind) {
    case 'none':
      return outcomes.noRoute();
    case 'disabled':
      return outcomes.lineDisabled();
    case 'hung-up':
      return outcomes.cancelledBy('CUSTOMER');
    case 'no-credit':
      return outcomes.creditExhausted();
    case 'flow':
      return { kind: 'flow' };
    case 'queue':
      return route;
    case 'owner':
      break;
  }
  const { agentId, ringTimeoutSeconds, owner, waking } = route;
  switch (owner) {
    case 'busy':
      return outcomes.ownerBusy();
    case 'no-device':
    case 'do-not-disturb':
      return outcomes.ownerDidNotAnswer();
    case 'rung':
      return { kind: 'awaited-owner', agentId, ringTimeoutSeconds };
    case 'reserved':
      return { kind: 'owner', agentId, ringTimeoutSeconds, ...(waking && { waking }) };
  }
}
