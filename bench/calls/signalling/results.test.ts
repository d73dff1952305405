import { expect, test } from 'vitest';
import type { Placed } from './place.ts';
import { commitsOf, cpuMsOf, offerDelays, outcomes, overtaking, statementsOf, waits } from './results.ts';

const call = (inviteAt: number, change: Partial<Placed> = {}): Placed => ({
  caller: `+44163${inviteAt}`,
  outcome: 'as planned',
  inviteAt,
  offeredAt: null,
  agentIdleSince: null,
  answeredAt: null,
  refusedAt: null,
  ...change,
});
const offered = (inviteAt: number, offeredAt: number) => call(inviteAt, { offeredAt });

test('a call that was offered after a later one counts as out of order', () => {
  expect(overtaking([offered(0, 50), offered(10, 60), offered(20, 70)])).toBe(0);
  expect(overtaking([offered(0, 65), offered(10, 60), offered(20, 70)])).toBe(1);
  expect(overtaking([offered(0, 90), offered(10, 80), offered(20, 70)])).toBe(2);
});

test('a call that was never offered is in nobody’s way and has no wait', () => {
  const placed = [call(0), offered(10, 30), call(20, { outcome: 'refused', refusedAt: 25 })];
  expect(overtaking(placed)).toBe(0);
  expect(waits(placed, 'offeredAt')).toEqual([20]);
  expect(waits(placed, 'refusedAt')).toEqual([5]);
  expect(outcomes(placed)).toEqual({ 'as planned': 2, refused: 1, failed: 0 });
});

test('the wait for an agent with another call is no delay of the offer', () => {
  const first = call(0, { offeredAt: 30, agentIdleSince: -500 });
  const second = call(10, { offeredAt: 900, agentIdleSince: 880 });
  expect(offerDelays([first, second, call(20)])).toEqual([30, 20]);
});

test('the CPU of the service is without mediasoup and the load, the statements are of every process', () => {
  const used = {
    cpuMs: { realtime: 5, postgres: 4, 'mediasoup-worke': 100, load: 200 },
    statements: { realtime: { statements: 30, commits: 2 }, worker: { statements: 5, commits: 1 } },
  };
  expect([cpuMsOf(used), statementsOf(used), commitsOf(used)]).toEqual([9, 35, 3]);
});
