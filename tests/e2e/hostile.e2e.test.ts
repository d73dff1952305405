/** The short forms of `npm run prove -- hostile`, `mutations` and `spoofed`, on one running copy. */
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runSpoofed } from '../../prove/flood/spoofed.ts';
import { runHostile } from '../../prove/hostile/run.ts';
import { runMutations } from '../../prove/mutations/run.ts';

const SEED = 1;

let t: TestStack;
beforeAll(async () => {
  t = await TestStack.boot({ env: { CLARION_LOG_LEVEL: 'error' } });
});
afterEach(() => t.release());
afterAll(() => t?.stop());

test('attacks from outside terminate no process and disconnect no agent, and new calls ring within a second', async () => {
  const { families, wrong } = await runHostile(t, { seed: SEED, scale: 0.05 }, () => undefined);
  expect(wrong).toEqual([]);
  expect(families).toHaveLength(13);
});

test('spoofed INVITEs become no calls and get rejections only', async () => {
  const { wrong } = await runSpoofed(t, { invites: 300, seed: SEED });
  expect(wrong).toEqual([]);
});

test('mutated SIP, audio, socket and HTTP messages terminate no process and disconnect no agent', async () => {
  const { wrong } = await runMutations(
    t,
    { messages: 2_000, seed: SEED, compareMemory: false },
    () => undefined,
  );
  expect(wrong).toEqual([]);
});
