/** How a call begins: the first state of each kind and what is said about it. Pure, like the machine. */
import type { FlowRun } from '../ivr/flow-run.ts';
import type { Effect } from './effects.ts';
import { routeInboundCall } from './arriving.ts';
import { endByOf, enterQueue, finish } from './shared.ts';
import type { Step } from './shared.ts';
import { outcomes } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { ArrivingState, CallbackState, DialPlan, IntentState, LiveBase, QueueWait } from './state.ts';
import type { QueueStop } from '../queue-routing/queue-stop.ts';
import { INTENT_START_MS, LOOKUP_MS, LOOKUP_SLACK_MS } from './timing.ts';

/** The first two things said about any call: that it is there. */
const created: Effect[] = [
  { kind: 'record', type: 'CREATED' },
  { kind: 'publish', event: 'call.created' },
];

export function beginIntent(
  input: Pick<LiveBase, 'callId' | 'record' | 'mediaPath'> & { agentId: number; dial: DialPlan },
  now: number,
): Step<IntentState> {
  return {
    state: { phase: 'intent', ...input, revision: 0, startBy: now + INTENT_START_MS },
    effects: created,
  };
}

/** The call that calls somebody back who asked for it: it has their place in the queue, whose patience begins anew. */
export function beginCallback(
  input: Pick<LiveBase, 'callId' | 'record' | 'mediaPath'> & {
    dial: DialPlan;
    /** The caller's. */
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
 * Where an inbound call goes, decided by its line before it begins. `owner` says what was found when the agent was to be
 * reserved in the same transaction.
 */
export type InboundRoute =
  | { kind: 'flow'; flow: FlowRun }
  | { kind: 'queue'; stops: QueueStop[] }
  | {
      kind: 'owner';
      agentId: number;
      ringTimeoutSeconds: number;
      /** rung: another call is ringing at them. busy: they are on a call. */
      owner: 'reserved' | 'rung' | 'busy' | 'no-device' | 'do-not-disturb';
    }
  | { kind: 'none' }
  | { kind: 'disabled' };

export interface Arrival extends Pick<LiveBase, 'callId' | 'record' | 'mediaPath'> {
  mediaNodeId: string;
  carrierLegId: string;
  route: InboundRoute;
  /** The consumer's lookup hook is asked before anything rings. Who is refused is not asked about. */
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
    endBy: endByOf(now, input.maxCallSeconds),
    mediaNodeId: input.mediaNodeId,
    carrierLegId: input.carrierLegId,
    revision: 0,
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
  // A call refused here was never taken by media: nothing is to be released there.
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

/** What the call goes on to, or how it ends at once. */
function nextOf(route: InboundRoute): ArrivingState['next'] | Outcome {
  switch (route.kind) {
    case 'none':
      return outcomes.noRoute();
    case 'disabled':
      return outcomes.lineDisabled();
    case 'flow':
      return { kind: 'flow' };
    case 'queue':
      return route;
    case 'owner':
      break;
  }
  const { agentId, ringTimeoutSeconds, owner } = route;
  switch (owner) {
    case 'busy':
      return outcomes.ownerBusy();
    case 'no-device':
    case 'do-not-disturb':
      return outcomes.ownerDidNotAnswer();
    case 'rung':
      return { kind: 'awaited-owner', agentId, ringTimeoutSeconds };
    case 'reserved':
      return { kind: 'owner', agentId, ringTimeoutSeconds };
  }
}
