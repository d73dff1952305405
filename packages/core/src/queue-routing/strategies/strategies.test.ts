import { readFileSync } from 'node:fs';
import { queueStrategies } from '@clarion/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QueueSnapshot } from '../snapshot.ts';
import { nextOffers } from './index.ts';

const call = (callId: number, more: Partial<QueueSnapshot['waiting'][number]> = {}) => ({
  callId,
  ringingAt: [],
  declined: [],
  missed: {},
  skills: [],
  ...more,
});
const agent = (agentId: number, idleSince = 0, priority = 1, skills: string[] = []) => ({
  agentId,
  idleSince,
  priority,
  skills,
  asleep: false,
});
const asleep = (...of: Parameters<typeof agent>) => ({ ...agent(...of), asleep: true });
const of = (
  waiting: QueueSnapshot['waiting'],
  free: QueueSnapshot['free'],
  capacity: number | null = null,
) => ({
  waiting,
  free,
  capacity,
});

test.each(queueStrategies)('%s has tests of its own below', (strategy) => {
  expect(readFileSync(import.meta.filename, 'utf8')).toContain(`\ndescribe('${strategy}'`);
});

describe('ROUND_ROBIN', () => {
  const offers = (snapshot: QueueSnapshot) => nextOffers('ROUND_ROBIN', snapshot);

  test('rings the longest idle, one agent for each call, oldest call first', () => {
    expect(offers(of([call(1), call(2)], [agent(7, 300), agent(8, 100), agent(9, 200)]))).toEqual([
      { callId: 1, agentIds: [8] },
      { callId: 2, agentIds: [9] },
    ]);
  });
  test('wakes nobody while a connected agent is idle, but somebody before the call returns to who missed it', () => {
    expect(offers(of([call(1), call(2)], [asleep(7, 100), agent(8, 300)]))).toEqual([
      { callId: 1, agentIds: [8] },
      { callId: 2, agentIds: [7] },
    ]);
    expect(offers(of([call(1, { missed: { 8: 1 } })], [asleep(7, 100), agent(8, 300)]))).toEqual([
      { callId: 1, agentIds: [7] },
    ]);
  });
  test('continues with the next agent after a missed offer, and starts again when all have missed it', () => {
    expect(offers(of([call(1, { missed: { 8: 1 } })], [agent(8, 100), agent(9, 200)]))).toEqual([
      { callId: 1, agentIds: [9] },
    ]);
    expect(offers(of([call(1, { missed: { 8: 1, 9: 1 } })], [agent(8, 100), agent(9, 200)]))).toEqual([
      { callId: 1, agentIds: [8] },
    ]);
  });
  test('never returns to an agent who declined, who may be offered a younger call', () => {
    expect(offers(of([call(1, { declined: [8] }), call(2)], [agent(8)]))).toEqual([
      { callId: 2, agentIds: [8] },
    ]);
  });
  test('rings no second agent while one is being rung', () => {
    expect(offers(of([call(1, { ringingAt: [7] })], [agent(8)]))).toEqual([]);
  });
  test('respects max_active_calls', () => {
    expect(offers(of([call(1), call(2)], [agent(8), agent(9)], 1))).toHaveLength(1);
    expect(offers(of([call(1)], [agent(8)], 0))).toEqual([]);
    expect(offers(of([call(1)], [agent(8)], -3))).toEqual([]);
  });
});

describe('PRIORITY', () => {
  const offers = (snapshot: QueueSnapshot) => nextOffers('PRIORITY', snapshot);

  test('rings the lowest number first, the longest idle among equals', () => {
    expect(offers(of([call(1), call(2)], [agent(7, 0, 2), agent(8, 200, 1), agent(9, 100, 1)]))).toEqual([
      { callId: 1, agentIds: [9] },
      { callId: 2, agentIds: [8] },
    ]);
  });
  test('wakes an agent of a lower number before it rings a connected one of a higher', () => {
    expect(offers(of([call(1)], [asleep(7, 0, 1), agent(8, 0, 2)]))).toEqual([{ callId: 1, agentIds: [7] }]);
    expect(offers(of([call(1)], [asleep(7, 0, 1), agent(8, 200, 1)]))).toEqual([
      { callId: 1, agentIds: [8] },
    ]);
  });
  test('continues with the next priority after a missed offer', () => {
    expect(offers(of([call(1, { missed: { 8: 1 } })], [agent(7, 0, 2), agent(8, 0, 1)]))).toEqual([
      { callId: 1, agentIds: [7] },
    ]);
  });
});

describe('RING_ALL', () => {
  const offers = (snapshot: QueueSnapshot) => nextOffers('RING_ALL', snapshot);

  test('rings everyone for the oldest call, whether connected or asleep', () => {
    expect(offers(of([call(1), call(2)], [agent(7), asleep(8)]))).toEqual([{ callId: 1, agentIds: [7, 8] }]);
  });
  test('adds agents who become idle while it rings, whatever max_active_calls', () => {
    expect(offers(of([call(1, { ringingAt: [7] })], [agent(8)], 0))).toEqual([{ callId: 1, agentIds: [8] }]);
  });
  test('offers a younger call to agents who declined the older one', () => {
    expect(offers(of([call(1, { declined: [8] }), call(2)], [agent(7), agent(8)]))).toEqual([
      { callId: 1, agentIds: [7] },
      { callId: 2, agentIds: [8] },
    ]);
  });
});

test('for any queue: idle agents only, each once, none who declined, within max_active_calls, none omitted', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 8 });
  const snapshot = fc
    .record({
      calls: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 6 }),
      free: ids,
      declined: fc.array(ids, { minLength: 6, maxLength: 6 }),
      missed: fc.array(fc.dictionary(fc.constantFrom('1', '2', '3'), fc.nat(3)), {
        minLength: 6,
        maxLength: 6,
      }),
      idle: fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }),
      capacity: fc.option(fc.integer({ min: -1, max: 6 })),
    })
    .map(({ calls, free, declined, missed, idle, capacity }) =>
      of(
        calls.map((callId, index) =>
          call(callId, { declined: declined[index] ?? [], missed: missed[index] ?? {} }),
        ),
        free.map((agentId) => agent(agentId, idle[agentId - 1] ?? 0, (agentId % 3) + 1)),
        capacity,
      ),
    );
  fc.assert(
    fc.property(fc.constantFrom(...queueStrategies), snapshot, (strategy, queue) => {
      const plans = nextOffers(strategy, queue);
      const offered = plans.flatMap(({ agentIds }) => agentIds);
      expect(new Set(offered).size).toBe(offered.length);
      for (const agentId of offered) expect(queue.free.map((each) => each.agentId)).toContain(agentId);
      for (const plan of plans) {
        const declined = queue.waiting.find(({ callId }) => callId === plan.callId)?.declined ?? [];
        expect(plan.agentIds.some((agentId) => declined.includes(agentId))).toBe(false);
      }
      if (queue.capacity !== null) expect(plans.length).toBeLessThanOrEqual(Math.max(0, queue.capacity));
      // A call stays waiting only if every idle agent is reserved or has declined it, or max_active_calls is reached.
      const left = queue.free.filter(({ agentId }) => !offered.includes(agentId));
      const capped = queue.capacity !== null && plans.length >= Math.max(0, queue.capacity);
      for (const waiting of queue.waiting) {
        if (capped || plans.some(({ callId }) => callId === waiting.callId)) continue;
        expect(left.every(({ agentId }) => waiting.declined.includes(agentId))).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each(queueStrategies)(
  '%s: a call that counts against the cap already needs no room under it',
  (strategy) => {
    const transferred = call(2, { handled: true });
    const plans = nextOffers(strategy, of([call(1), transferred, call(3)], [agent(7), agent(8)], 0));
    expect(plans.map(({ callId }) => callId)).toEqual([2]);
    const withRoom = nextOffers(strategy, of([transferred, call(1)], [agent(7)], 1));
    expect(withRoom.map(({ callId }) => callId)).toEqual([2]);
  },
);
