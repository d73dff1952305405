import { expect, test } from 'vitest';
import { tryForgeries } from './forged.ts';
import { startWeb } from './support.ts';

/** `npm run prove -- forged` tries 10,000. */
const TRIES = 500;

test('no forged API key or agent token is accepted or causes an internal error', async () => {
  const web = await startWeb();
  try {
    await tryForgeries(web.runtime, TRIES);
    // No forged token has registered an agent.
    expect(await web.runtime.db.agent.findMany({ select: { ref: true } })).toEqual([{ ref: 'ada' }]);
  } finally {
    await web.stop();
  }
});
