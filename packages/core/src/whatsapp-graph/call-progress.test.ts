import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, isStale, isUndecided, noProgress, timeOf } from './call-progress.ts';
import type { CallProgress, ProgressEvent, WhatsAppFact } from './call-progress.ts';

const blank = {
  direction: null,
  sdp: null,
  status: null,
  startTime: null,
  endTime: null,
  durationSeconds: null,
  errors: [],
} as const;
const inbound = { ...blank, direction: 'USER_INITIATED', errors: [] } as const;
const outbound = { ...blank, direction: 'BUSINESS_INITIATED', errors: [] } as const;
type Event = Exclude<ProgressEvent, { event: 'settle' }>;
const offer: Event = { ...inbound, event: 'connect', sdp: { type: 'offer', text: 'v=0' }, errors: [] };
const answer: Event = { ...outbound, event: 'connect', sdp: { type: 'answer', text: 'v=0' }, errors: [] };
const status = (text: string): Event => ({ ...outbound, event: 'status', status: text, errors: [] });
const terminate = (of: typeof inbound | typeof outbound, more: Partial<Event> = {}): Event => ({
  ...of,
  event: 'terminate',
  status: 'COMPLETED',
  errors: [],
  ...more,
});
const picked = { startTime: 1_749_197_360, endTime: 1_749_197_480, durationSeconds: 120 };
const failed = { status: 'FAILED', errors: [{ code: 138_021, message: 'No media', details: null }] };

const placed: CallProgress = { ...noProgress, direction: 'BUSINESS_INITIATED' };

/** All facts, with the settle event at the end if it would be due. */
function factsOf(events: readonly ProgressEvent[], from: CallProgress = noProgress): WhatsAppFact[] {
  const facts: WhatsAppFact[] = [];
  let progress = from;
  const take = (event: ProgressEvent) => {
    const next = advance(progress, event);
    progress = next.progress;
    facts.push(...next.facts);
  };
  events.forEach(take);
  if (isUndecided(progress)) take({ event: 'settle' });
  return facts;
}
const kinds = (facts: readonly WhatsAppFact[]) => facts.map(({ kind }) => kind);
const endIn = (facts: readonly WhatsAppFact[]) => facts.find((fact) => fact.kind === 'ended');

describe('a call of a customer', () => {
  test('begins with the offer and ends with the terminate webhook', () => {
    expect(kinds(factsOf([offer, terminate(inbound, picked)]))).toEqual(['began', 'ended']);
  });
  test('that ended before its connect webhook arrived begins and ends in one step', () => {
    const first = advance(noProgress, terminate(inbound));
    expect(first.facts).toEqual([]);
    expect(kinds(advance(first.progress, offer).facts)).toEqual(['began', 'ended']);
  });
  test('begins if only a terminate without a direction arrived before', () => {
    const end = { ...terminate(inbound), direction: null };
    expect(kinds(factsOf([end, offer]))).toEqual(['began', 'ended']);
  });
  test('does not begin without an SDP offer', () => {
    expect(factsOf([{ ...offer, sdp: null }])).toEqual([]);
  });
  test('that is a minute old is stale', () => {
    const at = (ms: number) => new Date(1_750_000_000_000 + ms);
    const event = { occurredAt: at(0), receivedAt: at(59_000) };
    expect(isStale(event, at(60_000))).toBe(false);
    expect(isStale(event, at(60_001))).toBe(true);
    expect(isStale({ ...event, occurredAt: null }, at(60_001))).toBe(false);
  });
});

test.each([
  ['arrives within the second that Meta names', 400, 400],
  ['arrives later', 2_900, 1_000],
  ['arrives much later', 60_000, 1_000],
  ['arrives before that second, by our clock', -300, -300],
])('the time of an event whose webhook %s', (_, arrivedMs, happenedMs) => {
  const at = (ms: number) => new Date(1_750_000_000_000 + ms);
  expect(timeOf({ occurredAt: at(0), receivedAt: at(arrivedMs) })).toEqual(at(happenedMs));
  expect(timeOf({ occurredAt: null, receivedAt: at(arrivedMs) })).toEqual(at(arrivedMs));
});

describe('a call of ours', () => {
  test('is answered by the first of ACCEPTED and a terminate with a start time', () => {
    const rang = [answer, status('RINGING')];
    expect(kinds(factsOf([...rang, status('ACCEPTED'), terminate(outbound, picked)], placed))).toEqual([
      'sdp-answer',
      'ringing',
      'answered',
      'ended',
    ]);
    expect(kinds(factsOf([...rang, terminate(outbound, picked), status('ACCEPTED')], placed))).toEqual([
      'sdp-answer',
      'ringing',
      'answered',
      'ended',
    ]);
  });
  test.each([
    ['REJECTED before the end', [status('REJECTED'), terminate(outbound)], 'rejected'],
    ['REJECTED after the end', [terminate(outbound), status('REJECTED')], 'rejected'],
    ['neither', [status('RINGING'), terminate(outbound)], 'unanswered'],
    ['an error', [terminate(outbound, failed)], 'failed'],
  ])('ends with %s', (_, events, kind) => {
    expect(endIn(factsOf(events, placed))).toMatchObject({ end: { kind } });
  });
  test('that fails after it was answered was answered, and failed', () => {
    const facts = factsOf([answer, terminate(outbound, { ...picked, ...failed })], placed);
    expect(kinds(facts)).toEqual(['sdp-answer', 'answered', 'ended']);
    expect(endIn(facts)).toMatchObject({ end: { kind: 'failed', started: true } });
  });
  test('is not failed by the error of another call in the same webhook', () => {
    const end = terminate(outbound, { ...picked, errors: failed.errors });
    expect(endIn(factsOf([end], placed))).toMatchObject({ end: { kind: 'completed' } });
  });
  test('whose end is undecided is reported as unanswered only when it is settled', () => {
    const { progress, facts } = advance(placed, terminate(outbound));
    expect(facts).toEqual([]);
    expect(isUndecided(progress)).toBe(true);
    expect(advance(progress, { event: 'settle' }).facts).toEqual([
      { kind: 'ended', end: { kind: 'unanswered' } },
    ]);
  });
  test('settle has no effect before the end', () => {
    expect(advance(placed, { event: 'settle' })).toEqual({ progress: placed, facts: [] });
  });
});

describe('for any order of the webhooks, each of them repeated', () => {
  const ends = [terminate(outbound), terminate(outbound, picked), terminate(outbound, failed)];
  const sets = [
    ...[terminate(inbound), terminate(inbound, picked), terminate(inbound, failed)].map((end) => ({
      from: noProgress,
      events: [offer, end],
    })),
    ...ends.flatMap((end) =>
      [[], [status('ACCEPTED')], [status('REJECTED')]].map((more) => ({
        from: placed,
        events: [answer, status('RINGING'), ...more, end],
      })),
    ),
  ];
  const shuffled = fc.constantFrom(...sets).chain(({ from, events }) =>
    fc
      .tuple(
        fc.shuffledSubarray(events, { minLength: events.length }),
        fc.array(fc.constantFrom(...events), { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 8 }),
      )
      .map(([order, repeated, places]) => {
        const all = [...order];
        // A repetition cannot precede its first delivery, so it is inserted anywhere: the first one counts.
        repeated.forEach((event, i) => all.splice((places[i] ?? 0) % (all.length + 1), 0, event));
        return { from, events, all };
      }),
  );
  test('at most one beginning, one answer and one end are reported, and the same end', () => {
    fc.assert(
      fc.property(shuffled, ({ from, events, all }) => {
        const facts = factsOf(all, from);
        for (const kind of ['began', 'sdp-answer', 'ringing', 'answered', 'ended'])
          expect(kinds(facts).filter((one) => one === kind).length).toBeLessThanOrEqual(1);
        expect(kinds(facts).at(-1)).toBe('ended');
        expect(endIn(facts)).toEqual(endIn(factsOf(events, from)));
        if (from === noProgress) expect(kinds(facts)).toEqual(['began', 'ended']);
      }),
      { numRuns: 2_000 },
    );
  });
});
