/** The short form of `npm run prove -- faults`: a few calls by telephone and on WhatsApp, each process killed once. */
import { expect, test } from 'vitest';
import { runFaults } from '../../prove/faults/run.ts';

test('when processes die during calls, no packet is lost, agents are in sync within 2 s, and each call ends once', async () => {
  const { held, wrong, outlivedMs } = await runFaults(
    { calls: 6, whatsApp: 2, kills: 1, names: ['realtime', 'web', 'worker', 'postgres'], controlSeconds: 3 },
    () => undefined,
  );
  expect(wrong).toEqual([]);
  expect([held, outlivedMs.length]).toEqual([8, 4]);
});
