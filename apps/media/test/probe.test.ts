import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MediaFixture } from './support/media-fixture.ts';
import { sdp } from './support/raw-carrier.ts';
import { rawInboundCall, rawOutboundCall, type RawCall } from './support/raw-calls.ts';

let fixture: MediaFixture;
let call: RawCall | null = null;

beforeAll(async () => {
  fixture = await MediaFixture.start({ probeIntervalMs: 100 });
});
afterEach(async () => {
  await call?.close();
  call = null;
});
afterAll(() => fixture.close());

async function hold(direction: 'inactive' | 'sendonly' | 'recvonly'): Promise<RawCall> {
  call = await rawInboundCall(fixture);
  const body = sdp(call.audio.port, { version: 2, direction });
  expect(await call.carrier.request('INVITE', { body })).toContain('SIP/2.0 200');
  call.carrier.send('ACK');
  return call;
}

describe('a call without audio in both directions', () => {
  test.each(['inactive', 'sendonly', 'recvonly'] as const)(
    'on %s hold ends as unreachable if the remote party no longer has the dialog',
    async (direction) => {
      const { carrier, legId } = await hold(direction);
      carrier.answer(await carrier.receive('OPTIONS '), 481);
      await carrier.receive('BYE ');
      expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('unreachable');
    },
  );

  test('continues while OPTIONS gets a response, even a rejection', async () => {
    const { carrier, legId } = await hold('inactive');
    for (const status of [200, 405, 501, 401, 200]) carrier.answer(await carrier.receive('OPTIONS '), status);
    expect(fixture.realtime.count('leg:ended', legId)).toBe(0);
  });

  test('accepts an UPDATE while OPTIONS is pending', async () => {
    const { carrier, leg, audio } = await hold('inactive');
    const options = await carrier.receive('OPTIONS ');
    const reply = await carrier.request('UPDATE', { body: sdp(audio.port, { version: 3 }) });
    expect(reply).toContain('SIP/2.0 200');
    expect(leg.direction).toBe('sendrecv');
    carrier.answer(options, 200);
  });

  test('that is outbound ends as unreachable if its remote party is gone', async () => {
    call = await rawOutboundCall(fixture);
    const { carrier, legId, audio } = call;
    await carrier.request('UPDATE', { body: sdp(audio.port, { version: 2, direction: 'inactive' }) });
    carrier.answer(await carrier.receive('OPTIONS '), 481);
    expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('unreachable');
  });
});
