/**
 * Recounts a tenant's reports from the events that a webhook received, and lists where the service's own figures differ. Definitions:
 * packages/core/src/report/README.md. What no event contains (missed and declined offers, overflows) is read from each call's lifecycle
 * log.
 */
import { agentResource } from '@clarion/protocol/v1/tenant/agents';
import { callView, type CallDetail, type CallView } from '@clarion/protocol/call';
import type { Envelope } from '@clarion/protocol/events';
import type { AgentFigures, CallFigures, LiveQueue } from '@clarion/protocol/v1/report/reports';
import type { CallStats } from '@clarion/protocol/v1/call/calls';

const SERVICE_LEVEL_MS = 20_000;
const SHORT_ABANDON_MS = 5_000;
const MISSED = ['NO_ANSWER', 'IVR_AGENT_NO_ANSWER', 'TIMEOUT', 'REJECTED', 'BUSY'];

/** One call according to its events. */
export interface ToldCall {
  events: Envelope[];
  /** According to the last event. */
  last: CallView;
}

/** Events of calls, each once, in the order of their call. */
export function callsTold(events: readonly Envelope[]): Map<number, ToldCall> {
  const unique = new Map(events.map((event) => [event.event_id, event]));
  const calls = Map.groupBy(
    [...unique.values()].filter(({ event_type }) => event_type.startsWith('call.')),
    (event) => viewOf(event).callId,
  );
  return new Map(
    [...calls].map(([callId, own]) => {
      const ordered = own.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
      return [callId, { events: ordered, last: viewOf(ordered.at(-1) as Envelope) }];
    }),
  );
}

const viewOf = (event: Envelope): CallView => callView.parse(event.data.call);
const ms = (time: string | null) => (time === null ? null : Date.parse(time));
const sumOf = <T>(list: readonly T[], of: (each: T) => number) =>
  list.reduce((sum, each) => sum + of(each), 0);
const ratio = (part: number, whole: number) => (whole === 0 ? 0 : Math.round(part / whole));

/** What the events of every call must contain. @returns complaints */
export function complaintsOf({ events, last }: ToldCall): string[] {
  const types = events.map(({ event_type }) => event_type);
  const count = (type: string) => types.filter((each) => each === type).length;
  const told = `call ${last.callId} said ${types.join(', ')}`;
  return [
    ...(count('call.created') === 1 && types[0] === 'call.created'
      ? []
      : [`${told}: not created once, first`]),
    ...(count('call.ended') === 1 && types.at(-1) === 'call.ended' ? [] : [`${told}: not ended once, last`]),
    ...(count('call.answered') === (last.answeredAt === null ? 0 : 1) ? [] : [`${told}: wrongly answered`]),
    ...(new Set(events.map(({ sequence }) => sequence)).size === events.length
      ? []
      : [`${told}: a sequence twice`]),
  ];
}

export function recountStats(calls: readonly CallView[]): CallStats {
  const answered = calls.filter(({ answeredAt }) => answeredAt !== null);
  const unanswered = calls.filter(({ answeredAt, endedAt }) => answeredAt === null && endedAt !== null);
  const waits = calls.filter(({ queuedAt }) => queuedAt !== null).map(({ durations }) => durations.wait);
  const talkSeconds = sumOf(answered, ({ durations }) => durations.call);
  const missed = unanswered.filter(
    ({ status, terminationReason }) => status !== 'FAILED' && MISSED.includes(terminationReason ?? ''),
  ).length;
  const lost = unanswered.filter(
    ({ status, terminationReason }) => status !== 'FAILED' && terminationReason === 'CANCELLED',
  ).length;
  return {
    total: calls.length,
    answered: answered.length,
    missed,
    lost,
    failed: unanswered.length - missed - lost,
    live: calls.filter(({ endedAt }) => endedAt === null).length,
    inbound: calls.filter(({ direction }) => direction === 'INBOUND').length,
    outbound: calls.filter(({ direction }) => direction === 'OUTBOUND').length,
    talkSeconds,
    avgTalkSeconds: ratio(talkSeconds, answered.length),
    avgWaitSeconds: waits.length === 0 ? null : ratio(sumOf(waits, Number), waits.length),
    longestWaitSeconds: waits.length === 0 ? null : Math.max(...waits),
  };
}

/** While the caller waited. A conversation that is transferred to a queue may overflow too, which is no figure of the caller's wait. */
function overflowedWaiting(events: CallDetail['events']): boolean {
  const answered = events.findIndex(({ type }) => type === 'ANSWERED');
  const waiting = answered === -1 ? events : events.slice(0, answered);
  return waiting.some(({ type }) => type === 'OVERFLOWED');
}

export function recountCalls(
  calls: readonly CallView[],
  details: ReadonlyMap<number, CallDetail>,
): CallFigures {
  const offered = calls.filter(({ queuedAt }) => queuedAt !== null);
  const waitedMs = ({ queuedAt, answeredAt, endedAt }: CallView) =>
    (ms(answeredAt) ?? ms(endedAt) ?? 0) - (ms(queuedAt) ?? 0);
  const fromQueue = offered.filter(({ answeredAt }) => answeredAt !== null);
  const within = fromQueue.filter((call) => waitedMs(call) <= SERVICE_LEVEL_MS).length;
  const abandoned = offered.filter(
    ({ answeredAt, terminatedBy, terminationReason }) =>
      answeredAt === null &&
      terminatedBy === 'CUSTOMER' &&
      (terminationReason === 'CANCELLED' || terminationReason === 'NO_ANSWER'),
  );
  const late = abandoned.filter((call) => waitedMs(call) > SERVICE_LEVEL_MS).length;
  const promised = fromQueue.length + late;
  return {
    ...recountStats(calls),
    offered: offered.length,
    answeredFromQueue: fromQueue.length,
    answeredWithin: within,
    abandoned: abandoned.length,
    abandonedAfterThreshold: late,
    shortAbandoned: abandoned.filter((call) => waitedMs(call) < SHORT_ABANDON_MS).length,
    overflowed: offered.filter(({ callId }) => overflowedWaiting(details.get(callId)?.events ?? [])).length,
    timedOut: offered.filter(
      ({ answeredAt, terminationReason }) => answeredAt === null && terminationReason === 'TIMEOUT',
    ).length,
    serviceLevel: promised === 0 ? null : Math.round((within / promised) * 10_000) / 10_000,
  };
}

type Recounted = Pick<AgentFigures, 'agentRef' | 'answered' | 'missed' | 'declined' | 'talkSeconds'>;

/** Who talked: the agent who answered, then each agent to whom the call was transferred, until the next transfer. */
export function recountAgents(
  agents: ReadonlyMap<string, number>,
  told: ReadonlyMap<number, ToldCall>,
  details: ReadonlyMap<number, CallDetail>,
): Recounted[] {
  const stints = [...told.values()].flatMap(stintsOf);
  return [...agents].map(([agentRef, agentId]) => {
    const own = stints.filter((stint) => stint.agentRef === agentRef);
    const logged = (types: string[]) =>
      sumOf(
        [...details.values()],
        ({ events }) =>
          events.filter((entry) => entry.agentId === agentId && types.includes(entry.type)).length,
      );
    const couldNotRing = [...told.values()].filter(
      ({ last }) =>
        last.agentRef === agentRef &&
        last.direction === 'INBOUND' &&
        last.answeredAt === null &&
        last.ringingAt === null &&
        ['NO_ANSWER', 'BUSY'].includes(last.terminationReason ?? ''),
    ).length;
    return {
      agentRef,
      answered: new Set(own.map(({ callId }) => callId)).size,
      missed: logged(['MISSED', 'CONNECT_FAILED']) + couldNotRing,
      declined: logged(['DECLINED']),
      talkSeconds: sumOf(own, ({ seconds }) => seconds),
    };
  });
}

interface Stint {
  callId: number;
  agentRef: string | null;
  seconds: number;
}

function stintsOf({ events, last }: ToldCall): Stint[] {
  const answeredAt = ms(last.answeredAt);
  if (answeredAt === null) return [];
  const moves = events.filter(
    ({ event_type }) => event_type === 'call.answered' || event_type === 'call.transferred',
  );
  const begins = moves.map((event) =>
    event.event_type === 'call.answered' ? answeredAt : Date.parse(event.occurred_at),
  );
  const talked = (until: number) => Math.floor((until - answeredAt) / 1000);
  return moves.map((event, i) => {
    const { callId, agentRef } = viewOf(event);
    const begin = begins[i] ?? answeredAt;
    const end = begins[i + 1] ?? ms(last.endedAt) ?? begin;
    return { callId, agentRef, seconds: talked(end) - talked(begin) };
  });
}

/** The history of each agent's availability according to the events. */
function availabilityOf(events: readonly Envelope[]): Map<string, { at: number; availability: string }[]> {
  const changes = [...new Map(events.map((event) => [event.event_id, event])).values()]
    .filter(({ event_type }) => event_type === 'agent.availability_changed')
    .map((event) => ({ at: Date.parse(event.occurred_at), agent: agentResource.parse(event.data.agent) }))
    .toSorted((a, b) => a.at - b.at);
  return new Map(
    [...Map.groupBy(changes, ({ agent }) => agent.ref)].map(([ref, own]) => [
      ref,
      own.map(({ at, agent: { availability } }) => ({ at, availability })),
    ]),
  );
}

/** Seconds for which each agent was not OFFLINE; an agent who never set a status has none. */
export function recountAvailable(events: readonly Envelope[], until: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const [ref, own] of availabilityOf(events)) {
    const spans = own.map(({ at, availability }, i) =>
      availability === 'OFFLINE' ? 0 : (own[i + 1]?.at ?? until) - at,
    );
    seconds.set(ref, sumOf(spans, Number) / 1000);
  }
  return seconds;
}

/** How many of these agents are AVAILABLE, ON_CALL or OFFLINE by the last event of each. Those in `gone` have no device and are offline. */
export function recountLive(
  events: readonly Envelope[],
  members: readonly string[],
  gone: readonly string[],
): LiveQueue['agents'] {
  const history = availabilityOf(events);
  const now = (ref: string) =>
    gone.includes(ref) ? 'OFFLINE' : (history.get(ref)?.at(-1)?.availability ?? 'OFFLINE');
  const count = (wanted: string) => members.filter((ref) => now(ref) === wanted).length;
  return { available: count('AVAILABLE'), onCall: count('ON_CALL'), offline: count('OFFLINE') };
}

/** The fields in which two objects of figures differ, as text. */
export function differences(what: string, reported: object, counted: object): string[] {
  const theirs = new Map<string, unknown>(Object.entries(reported));
  return Object.entries(counted)
    .filter(([name, value]) => theirs.get(name) !== value)
    .map(
      ([name, value]) => `${what}: ${name} is ${String(theirs.get(name))}, the events say ${String(value)}`,
    );
}
