import type { ClaimLimits } from '@clarion/core/event/claim-deliveries';
import type { DueEvent } from '@clarion/core/event/delivery';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONCURRENCY, FairSlots, SLOTS_PER_FLAG, SLOTS_PER_SLOW_FLAG, SLOW_MS } from './fair-slots.ts';
import {
  InFlightDeliveries,
  MAX_IN_FLIGHT,
  MAX_SLOT_WAIT_MS,
  QUICK_MS,
  QUICK_QUEUE,
} from './in-flight-deliveries.ts';

const endpoint = {
  webhookUrl: 'https://acme.example/',
  webhookSecretSealed: 'sealed',
  previousSecretSealed: null,
  previousSecretUntil: null,
};
let count = 0;
const due = (consumerId: number): DueEvent => {
  const rowId = String((count += 1));
  return {
    rowId,
    revision: 1,
    eventId: rowId,
    consumerId,
    body: '{}',
    attemptCount: 0,
    dueAt: new Date(0),
    endpoint,
  };
};
const dues = (consumerId: number, n: number) => Array.from({ length: n }, () => due(consumerId));
const sendAll = (inFlight: InFlightDeliveries): DueEvent[] => {
  const sent: DueEvent[] = [];
  for (let next = inFlight.next(); next; next = inFlight.next()) sent.push(next);
  return sent;
};

const add = (inFlight: InFlightDeliveries, taken: DueEvent[], now = 0) =>
  inFlight.add(taken, inFlight.limits(), now);

test('consumers take turns, each within its slots', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  add(inFlight, [...dues(1, 30), ...dues(2, 2), ...dues(3, 2)]);
  expect(
    sendAll(inFlight)
      .slice(0, 6)
      .map(({ consumerId }) => consumerId),
  ).toEqual([1, 2, 3, 1, 2, 3]);
  expect(inFlight.sending).toBe(SLOTS_PER_FLAG + 4);
});

test('an unknown endpoint may have as many as it has slots, a quick one more, a slow one few', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  expect(inFlight.limits().roomOfOthers).toBe(SLOTS_PER_FLAG);
  add(inFlight, dues(1, 2));
  expect(inFlight.limits().room.get(1)).toBe(SLOTS_PER_FLAG - 2);
  const [first, second] = sendAll(inFlight);
  if (!first || !second) throw new Error('nothing was sent');
  inFlight.sent(first, QUICK_MS);
  expect(inFlight.limits().room.get(1)).toBe(SLOTS_PER_FLAG + QUICK_QUEUE - 2);
  inFlight.sent(second, SLOW_MS + 1);
  inFlight.settle(first);
  inFlight.settle(second);
  expect(inFlight.limits().room.get(1)).toBe(SLOTS_PER_SLOW_FLAG); // also with nothing in flight
});

test('the first quick response of a consumer at its limit reports that it has capacity', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  add(inFlight, dues(1, SLOTS_PER_FLAG));
  expect(inFlight.limits().fullConsumers).toEqual([1]);
  const [first, second, third] = sendAll(inFlight);
  if (!first || !second || !third) throw new Error('not enough was sent');
  expect(inFlight.sent(first, QUICK_MS + 1)).toBe(false);
  expect(inFlight.sent(second, QUICK_MS)).toBe(true);
  expect(inFlight.sent(third, QUICK_MS)).toBe(false); // reported once
});

test('a consumer at its limit is skipped, and its available capacity is reported', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  add(inFlight, dues(1, SLOTS_PER_FLAG));
  expect(inFlight.limits().fullConsumers).toEqual([1]);
  const answers = sendAll(inFlight).map((each) => {
    inFlight.sent(each, SLOW_MS - 1);
    return inFlight.settle(each);
  });
  expect(answers.filter(Boolean)).toHaveLength(1);
});

test('a quick endpoint keeps its capacity between two parts of its backlog, and is forgotten when it is idle', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  add(inFlight, dues(1, 1));
  for (const each of sendAll(inFlight)) {
    inFlight.sent(each, QUICK_MS);
    inFlight.settle(each);
  }
  inFlight.forgetIdle();
  expect(inFlight.limits().room.get(1)).toBe(SLOTS_PER_FLAG + QUICK_QUEUE);
  inFlight.forgetIdle();
  expect(inFlight.limits().room.has(1)).toBe(false);
});

test('a delivery that waited too long is removed and not sent', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  add(inFlight, dues(1, SLOTS_PER_FLAG + 5));
  sendAll(inFlight);
  expect(inFlight.removeWaiting(MAX_SLOT_WAIT_MS)).toHaveLength(5);
  expect(inFlight.next()).toBeNull();
  expect(inFlight.count).toBe(SLOTS_PER_FLAG + 5); // until it is settled
});

test('in any order, no consumer exceeds its limit, and no delivery is lost or sent twice', () => {
  const step = fc.record({
    consumer: fc.integer({ min: 1, max: 5 }),
    kind: fc.constantFrom('take', 'send', 'end', 'giveBack'),
    tookMs: fc.nat(5_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const inFlight = new InFlightDeliveries(new FairSlots());
      const sending: DueEvent[] = [];
      const seen = new Set<string>();
      let expected = 0;
      for (const { consumer, kind, tookMs } of steps) {
        if (kind === 'take') {
          const { count: free, fullConsumers, room, roomOfOthers } = inFlight.limits();
          if (fullConsumers.includes(consumer)) continue;
          const taken = dues(consumer, Math.min(free, room.get(consumer) ?? roomOfOthers));
          add(inFlight, taken);
          expected += taken.length;
        } else if (kind === 'send') {
          for (const each of sendAll(inFlight)) {
            expect(seen.has(each.rowId)).toBe(false);
            seen.add(each.rowId);
            sending.push(each);
          }
        } else if (kind === 'end') {
          const each = sending.shift();
          if (!each) continue;
          inFlight.sent(each, tookMs);
          inFlight.settle(each);
          expected -= 1;
        } else {
          for (const each of inFlight.removeWaiting()) {
            expect(seen.has(each.rowId)).toBe(false);
            inFlight.settle(each);
            expected -= 1;
          }
        }
        expect(inFlight.count).toBe(expected);
        expect(inFlight.count).toBeLessThanOrEqual(MAX_IN_FLIGHT);
        expect(inFlight.sending).toBe(sending.length);
        expect(sending.length).toBeLessThanOrEqual(CONCURRENCY);
      }
    }),
  );
});

test('whatever happens during a claim, a consumer with a backlog and nothing in flight causes another claim', () => {
  const step = fc.record({
    kind: fc.constantFrom('ask', 'answer', 'send', 'end', 'forget'),
    tookMs: fc.constantFrom(QUICK_MS, QUICK_MS + 1, SLOW_MS + 1),
  });
  fc.assert(
    fc.property(
      fc.array(fc.nat(500), { minLength: 1, maxLength: 3 }),
      fc.array(step, { minLength: 100, maxLength: 300 }),
      (backlogs, steps) => {
        const inFlight = new InFlightDeliveries(new FairSlots());
        const backlog = new Map(backlogs.map((count, id) => [id, count]));
        const of = new Map(backlogs.map((_, id) => [id, 0]));
        const sending: DueEvent[] = [];
        let asked: ClaimLimits | null = null;
        let claimAgain = true;
        for (const { kind, tookMs } of steps) {
          if (kind === 'ask' && asked === null && claimAgain) {
            asked = inFlight.limits();
            claimAgain = false;
          } else if (kind === 'answer' && asked !== null) {
            const { fullConsumers, room, roomOfOthers } = asked;
            const taken = [...backlog].flatMap(([id, due]) => {
              const may = fullConsumers.includes(id) ? 0 : (room.get(id) ?? roomOfOthers);
              const count = Math.min(may, due);
              backlog.set(id, due - count);
              of.set(id, (of.get(id) ?? 0) + count);
              return dues(id, count);
            });
            claimAgain = inFlight.add(taken, asked, 0) || claimAgain;
            asked = null;
          } else if (kind === 'send') sending.push(...sendAll(inFlight));
          else if (kind === 'end') {
            for (const each of sending.splice(0, SLOTS_PER_FLAG)) {
              claimAgain = inFlight.sent(each, tookMs) || claimAgain;
              claimAgain = inFlight.settle(each) || claimAgain;
              of.set(each.consumerId, (of.get(each.consumerId) ?? 0) - 1);
            }
          } else if (kind === 'forget') inFlight.forgetIdle();
          if (asked !== null) continue;
          for (const [id, due] of backlog) if (due > 0 && of.get(id) === 0) expect(claimAgain).toBe(true);
        }
      },
    ),
    { numRuns: 500 },
  );
});
