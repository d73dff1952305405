/** How a call begins: the first state of each kind and what is said about it. Pure, like the machine. */
import type { Effect } from './effects.ts';
import { enterQueue, finish } from './machine/shared.ts';
import { ringing } from './machine/inbound.ts';
import type { Step } from './machine/shared.ts';
import { outcomes } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { DialPlan, IntentState, LiveBase, OfferingState, QueueStop, WaitingState } from './state.ts';
import { INTENT_START_MS } from './timing.ts';

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

/**
 * Where an inbound call goes, decided by its line before it begins. `owner` says what was found when the agent was to be
 * reserved in the same transaction.
 */
export type InboundRoute =
  | { kind: 'queue'; stops: QueueStop[] }
  | {
      kind: 'owner';
      agentId: number;
      ringTimeoutSeconds: number;
      owner: 'reserved' | 'busy' | 'no-device' | 'do-not-disturb';
    }
  | { kind: 'none' }
  | { kind: 'disabled' };

export interface Arrival extends Pick<LiveBase, 'callId' | 'record' | 'mediaPath'> {
  mediaNodeId: string;
  carrierLegId: string;
  route: InboundRoute;
}

export function beginInbound(input: Arrival, now: number): Step {
  const { route } = input;
  const base = {
    callId: input.callId,
    record: input.record,
    mediaPath: input.mediaPath,
    mediaNodeId: input.mediaNodeId,
    carrierLegId: input.carrierLegId,
    revision: 0,
    answered: false,
    flow: null,
    plays: 0,
  };
  const arrived: Effect[] = [
    ...created,
    { kind: 'join', who: 'CUSTOMER' },
    { kind: 'leg', leg: 'CUSTOMER', state: 'RINGING' },
  ];
  if (route.kind === 'queue') {
    const wait = enterQueue({ stops: route.stops, since: now, declined: [], missed: {}, skills: [] }, now);
    const state: WaitingState = { ...base, phase: 'waiting', wait, leaving: null };
    const [stop] = route.stops;
    return {
      state,
      effects: [
        ...arrived,
        { kind: 'record', type: 'QUEUED', metadata: { queueRef: stop?.ref ?? null } },
        { kind: 'patch', patch: { status: 'RINGING', queuedAt: now } },
        ...(stop ? [{ kind: 'dispatch', queueId: stop.queueId } as const] : []),
      ],
    };
  }
  // A call refused here was never taken by media: nothing is to be released there.
  const refuse = (outcome: Outcome): Step => {
    const { state, effects } = finish(base, outcome, now);
    return { state, effects: [...arrived, ...effects] };
  };
  switch (route.kind) {
    case 'none':
      return refuse(outcomes.noRoute());
    case 'disabled':
      return refuse(outcomes.lineDisabled());
    case 'owner':
      break;
  }
  switch (route.owner) {
    case 'busy':
      return refuse(outcomes.ownerBusy());
    case 'no-device':
    case 'do-not-disturb':
      return refuse(outcomes.ownerDidNotAnswer());
    case 'reserved': {
      const offer = {
        agentId: route.agentId,
        offeredAt: now,
        expiresAt: now + route.ringTimeoutSeconds * 1000,
      };
      const state: OfferingState = { ...base, phase: 'offering', offers: [offer], wait: null };
      return {
        state,
        effects: [...arrived, { kind: 'patch', patch: { status: 'RINGING' } }, ...ringing(offer)],
      };
    }
  }
}
