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
    nextAttemptAt: null,
    endpoint,
  };
};
const dues = (consumerId: number, n: number) => Array.from({ length: n }, () => due(consumerId));
const sendAll = (inFlight: InFlightDeliveries): DueEvent[] => {
  const sent: DueEvent[] = [];
  for (let next = inFlight.next(); next; next = inFlight.next()) sent.push(next);
  return sent;
};

test('consumers take turns, each within its slots', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  inFlight.add([...dues(1, 30), ...dues(2, 2), ...dues(3, 2)], 0);
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
  inFlight.add(dues(1, 2), 0);
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

test('a consumer at its limit is skipped, and its available capacity is reported', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  inFlight.add(dues(1, SLOTS_PER_FLAG), 0);
  expect(inFlight.limits().fullConsumers).toEqual([1]);
  const answers = sendAll(inFlight).map((each) => {
    inFlight.sent(each, SLOW_MS - 1);
    return inFlight.settle(each);
  });
  expect(answers.filter(Boolean)).toHaveLength(1);
});

test('a delivery that waited too long is removed and not sent', () => {
  const inFlight = new InFlightDeliveries(new FairSlots());
  inFlight.add(dues(1, SLOTS_PER_FLAG + 5), 0);
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
          inFlight.add(taken, 0);
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
