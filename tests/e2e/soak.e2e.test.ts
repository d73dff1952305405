/** The short form of `npm run prove -- soak`: every kind of traffic concurrently for a while, then a recount of every figure. */
import { expect, test } from 'vitest';
import { runSoak } from '../../prove/soak/run.ts';

const SECONDS = 15;

test('random traffic breaks no invariant, leaves nothing behind, and every report equals a recount of its events', async () => {
  const { calls, counts, wrong } = await runSoak(
    {
      seconds: SECONDS,
      seed: Date.now() % 1_000_000,
      agents: 6,
      supervisors: 1,
      browsers: 0,
      callers: 5,
      killEverySeconds: null,
      twoNodes: false,
    },
    () => undefined,
  );
  expect(wrong).toEqual([]);
  expect(calls).toBeGreaterThan(10);
  for (const what of ['accept', 'create', 'caller met the flow'])
    expect(counts.get(what), what).toBeGreaterThan(0);
});
