/** Plans the offers of queues that share agents, the oldest call of all first. Pure. */
import type { QueueStrategy } from '@clarion/protocol';
import { agentOrder, nextOffers } from './strategies/index.ts';
import { missedBy, usesCapacity } from './snapshot.ts';
import type { IdleAgent, WaitingCall } from './snapshot.ts';
import { inTurns } from './turns.ts';

/** By which calls are served, oldest first. */
export interface Age {
  since: number;
  callId: number;
}

/** A waiting call and when it entered its first queue, milliseconds since the epoch. */
export interface Aged {
  since: number;
  call: WaitingCall;
}

export interface QueueView {
  queueId: number;
  strategy: QueueStrategy;
  /** Longest waiting first. */
  waiting: readonly Aged[];
  /** First in the strategy's order first. */
  free: readonly IdleAgent[];
  /** How many more calls may ring or be handled concurrently (max_active_calls); null: unlimited. */
  capacity: number | null;
  /** The view shows every call up to this one, and may lack younger ones; null: it shows all. */
  showsCallsTo: Age | null;
  /** Of each list of `free` that was cut off, its last agent: others may follow in the strategy's order. */
  cutOffAfter: readonly IdleAgent[];
}

export interface PlannedOffer {
  queueId: number;
  call: WaitingCall;
  agentIds: number[];
}

export interface Plan {
  /** In the order in which they are to be made. */
  offers: PlannedOffer[];
  /** Whether agents or calls outside the views could change these offers: read the queues without limits and plan again. */
  uncertain: boolean;
}

/** Each agent is named at most once. */
export function planOffers(queues: readonly QueueView[]): Plan {
  const left = new Map(queues.map((queue) => [queue.queueId, { ...queue }]));
  const offers: PlannedOffer[] = [];
  const horizon = horizonOf(queues);
  let uncertain = false;
  for (const { queueId, calls } of inTurns(byAge(queues, horizon))) {
    const queue = left.get(queueId);
    if (!queue) continue;
    const plans = nextOffers(queue.strategy, { waiting: calls, free: queue.free, capacity: queue.capacity });
    const made = plans.flatMap(({ callId, agentIds }) => {
      const call = calls.find((each) => each.callId === callId);
      return call ? [{ queueId, call, agentIds }] : [];
    });
    uncertain ||= queue.cutOffAfter.length > 0 && couldDoBetter(queue, calls, made);
    offers.push(...made);
    if (queue.capacity !== null) queue.capacity -= made.filter(({ call }) => usesCapacity(call)).length;
    withoutAgents(
      left,
      made.flatMap(({ agentIds }) => agentIds),
    );
  }
  // A call beyond the horizon may be eligible for agents whom no older call could have.
  uncertain ||=
    horizon !== null && offers.length === 0 && [...left.values()].some(({ free }) => free.length > 0);
  return { offers, uncertain };
}

/** Calls younger than this wait for the next read, because an older one of another queue may be missing; null: none is missing. */
function horizonOf(queues: readonly QueueView[]): Age | null {
  const ends = queues.flatMap(({ showsCallsTo, free }) =>
    showsCallsTo && free.length > 0 ? [showsCallsTo] : [],
  );
  return ends.toSorted(compareAge)[0] ?? null;
}

const compareAge = (a: Age, b: Age): number => a.since - b.since || a.callId - b.callId;

const byAge = (queues: readonly QueueView[], horizon: Age | null) =>
  queues
    .flatMap(({ queueId, waiting }) =>
      waiting.map(({ since, call }) => ({ queueId, since, callId: call.callId, call })),
    )
    .filter((call) => horizon === null || compareAge(call, horizon) <= 0)
    .toSorted(compareAge);

/** Whether a call got no agent, one who had missed it, or one who may come after others who were cut off. */
function couldDoBetter(
  { strategy, free, cutOffAfter, capacity }: QueueView,
  calls: readonly WaitingCall[],
  made: readonly PlannedOffer[],
): boolean {
  const isBehind = (agentId: number) => {
    const agent = free.find((each) => each.agentId === agentId);
    return agent && cutOffAfter.some((last) => agentOrder[strategy](last, agent) < 0);
  };
  const room = (capacity ?? Infinity) - made.filter(({ call }) => usesCapacity(call)).length;
  return calls.some((call) => {
    const offer = made.find((each) => each.call === call);
    if (offer) return offer.agentIds.some((agentId) => missedBy(call, agentId) > 0 || isBehind(agentId));
    return call.ringingAt.length === 0 && (!usesCapacity(call) || room > 0);
  });
}

function withoutAgents(queues: Map<number, QueueView>, taken: readonly number[]): void {
  if (taken.length === 0) return;
  const gone = new Set(taken);
  for (const queue of queues.values()) queue.free = queue.free.filter(({ agentId }) => !gone.has(agentId));
}
