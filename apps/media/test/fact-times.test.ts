/** How long ago facts happened, as sent with them. */
import type { MediaFact } from '@clarion/protocol/media';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MediaFixture } from './support/media-fixture.ts';
import { ringing } from './support/raw-calls.ts';

let fixture: MediaFixture;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterAll(() => fixture.close());

/** A 200 is repeated after T1 if no ACK arrives (RFC 3261 §13.3.1.4). */
const T1_MS = 500;
const TOLERANCE_MS = 250;

/** When it happened, by the monotonic clock of the media node. */
async function timeOf(fact: MediaFact, legId: string): Promise<number> {
  const { at } = await fixture.realtime.fact(fact, legId);
  const message = fixture.realtime.facts.find((one) => one.fact === fact && one.payload.at === at);
  if (!message?.sent) throw new Error(`${fact} has no age`);
  return message.sent.clockMs - message.sent.ageMs;
}

test('a call whose first 200 was not acknowledged begins with that 200, not with the ACK of its repetition', async () => {
  const { callId, legId, carrier, close } = await ringing(fixture);
  await fixture.realtime.command('carrier:answer', { callId, legId });
  await carrier.receive('SIP/2.0 200');
  const answered = performance.now();
  await carrier.receive('SIP/2.0 200');
  carrier.send('ACK');
  const connected = await timeOf('leg:connected', legId);
  expect(await carrier.request('BYE')).toContain('200 OK');
  const hungUp = performance.now();
  const ended = await timeOf('leg:ended', legId);
  expect(ended - connected).toBeGreaterThan(T1_MS - TOLERANCE_MS);
  expect(Math.abs(ended - connected - (hungUp - answered))).toBeLessThan(TOLERANCE_MS);
  await close();
});
