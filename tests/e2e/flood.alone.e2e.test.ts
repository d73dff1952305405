/** The short form of `npm run prove -- flood`: alone, since it measures whether the machine still serves calls beside the flood. */
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runFlood } from '../../prove/flood/run.ts';

let t: TestStack;
beforeAll(async () => {
  t = await TestStack.boot({ env: { CLARION_LOG_LEVEL: 'error' } });
});
afterEach(() => t.release());
afterAll(() => t?.stop());

test('a flood of requests from many addresses is not heard in running calls, and the calls of a carrier ring', async () => {
  const plan = { sources: 20, perSecond: 2_000, seconds: 3, calls: 1, carrierPerSecond: 5 };
  const { wrong, sent } = await runFlood(t, plan, () => undefined);
  expect(wrong).toEqual([]);
  expect(sent).toBe(6_000);
});
