import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { fuzz } from './fuzz/fuzz.ts';
import './fuzz/plan.ts';
import { startWeb } from './support.ts';
import type { Web } from './support.ts';

/** The short form; the long one is `npm run prove -- fuzz`. */
const plan = inject('fuzz') ?? { requests: 1_500, seed: 42 };
/** Takes eight seconds on an idle machine. */
const SHORT_WITHIN_MS = 60_000;

if (!inject('fuzz')) vi.setConfig({ testTimeout: SHORT_WITHIN_MS });

let web: Web;
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.stop());

test('every random request gets a documented response, and an error names the invalid field', async ({
  task,
}) => {
  const tally = await fuzz(web, plan);
  task.meta.fuzz = tally;
  expect(tally.complaints.join('\n')).toBe('');
  expect(tally.requests).toBe(plan.requests);
  // Otherwise only error responses would have been checked.
  expect(tally.fittingSucceeded / (tally.byMood['fitting'] ?? 1)).toBeGreaterThan(0.3);
});
