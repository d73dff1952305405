import { expect, test } from 'vitest';
import { tryForgeries } from './forged.ts';
import { startWeb } from './support.ts';

/** `npm run prove -- forged` tries 10,000. */
const TRIES = 500;

test('no forged API key and no forged agent token is accepted, and none makes the check fail', async () => {
  const web = await startWeb();
  try {
    await tryForgeries(web.runtime, TRIES);
    // Nobody came in by another name.
    expect(await web.runtime.db.agent.findMany({ select: { ref: true } })).toEqual([{ ref: 'ada' }]);
  } finally {
    await web.stop();
  }
});
