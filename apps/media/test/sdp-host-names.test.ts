/** Offers inside a call whose `c=` contains a host name: they are answered once it is resolved. */
import type { LookupAddress } from 'node:dns';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';
import { headerOf, sdp } from './support/raw-carrier.ts';
import { rawInboundCall, rawOutboundCall, type RawCall } from './support/raw-calls.ts';

/** The name server: `slow.example` is resolved when the test says so. */
let slow = Promise.withResolvers<LookupAddress[]>();
let lookups = 0;
const loopback = [{ address: '127.0.0.1', family: 4 }];
vi.mock('node:dns/promises', async () => ({
  ...(await vi.importActual('node:dns/promises')),
  lookup: (name: string): Promise<LookupAddress[]> => {
    lookups += 1;
    if (name === 'slow.example') return slow.promise;
    if (name === 'media.example') return Promise.resolve(loopback);
    return Promise.reject(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }));
  },
}));

let fixture: MediaFixture;
let call: RawCall | null = null;
const ports: RtpPort[] = [];

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  await call?.close();
  call = null;
  for (const port of ports.splice(0)) port.close();
});
afterAll(() => fixture.close());

const sdpAt = (host: string, port: number): string =>
  sdp(port, { version: 2 }).replace('c=IN IP4 127.0.0.1', `c=IN IP4 ${host}`);
const playTone = ({ callId, legId }: RawCall) =>
  fixture.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
const hearsTone = (audio: RtpPort) =>
  eventually('the hold tone is heard', () => containsTone(audio.heard, 'PCMA', 440, 200));

async function otherPort(): Promise<RtpPort> {
  const port = await RtpPort.open({ law: 'PCMA' });
  ports.push(port);
  return port;
}

/** Sends an offer that waits for the name server. */
async function offerSlowly(method: 'INVITE' | 'UPDATE', { carrier }: RawCall, port: number): Promise<void> {
  slow = Promise.withResolvers();
  const before = lookups;
  carrier.cseq += 1;
  carrier.send(method, { body: sdpAt('slow.example', port) });
  await eventually('the name server receives the request', () => lookups > before);
}

describe.each([
  ['INVITE', 'from a carrier', rawInboundCall],
  ['INVITE', 'to a carrier', rawOutboundCall],
  ['UPDATE', 'from a carrier', rawInboundCall],
  ['UPDATE', 'to a carrier', rawOutboundCall],
] as const)('an %s in a call %s', (method, _direction, open) => {
  test('with a host that does not exist is rejected, and audio stays where it was', async () => {
    call = await open(fixture);
    const { carrier, leg, audio } = call;
    const before = leg.session;
    const moved = await otherPort();
    const reply = await carrier.request(method, { body: sdpAt('nowhere.example', moved.port) });
    expect(reply).toContain('SIP/2.0 488');
    if (method === 'INVITE') carrier.send('ACK');
    expect(leg.session).toEqual(before);
    await playTone(call);
    await hearsTone(audio);
    expect(moved.heard).toEqual([]);
  });

  test('is answered when its host is resolved, and audio is sent there', async () => {
    call = await open(fixture);
    const moved = await otherPort();
    const before = lookups;
    const reply = await call.carrier.request(method, { body: sdpAt('media.example', moved.port) });
    expect(reply).toContain('SIP/2.0 200');
    if (method === 'INVITE') call.carrier.send('ACK');
    expect(call.leg.session?.remote).toMatchObject({ address: '127.0.0.1', port: moved.port });
    await playTone(call);
    await hearsTone(moved);
    expect(lookups).toBe(before + 1);
  });

  test('makes another offer wait until its host is resolved', async () => {
    call = await open(fixture);
    const { carrier, leg, audio } = call;
    const moved = await otherPort();
    await offerSlowly(method, call, moved.port);
    const first = carrier.cseq;
    for (const other of ['INVITE', 'UPDATE']) {
      const refusal = await carrier.request(other, { body: sdp(audio.port, { version: 3 }) });
      expect(refusal).toContain('SIP/2.0 500');
      expect(headerOf(refusal, 'Retry-After')).not.toBe('');
      if (other === 'INVITE') carrier.send('ACK');
    }
    slow.resolve(loopback);
    await carrier.receive('SIP/2.0 200');
    if (method === 'INVITE') carrier.send('ACK', {}, first);
    await eventually(
      'audio is sent to the address of the first offer',
      () => leg.session?.remote.port === moved.port,
    );
  });

  test('gets 487 if the call ends before its host is resolved', async () => {
    call = await open(fixture);
    const { carrier, legId } = call;
    await offerSlowly(method, call, 9_002);
    expect(await carrier.request('BYE')).toContain('SIP/2.0 200');
    await fixture.realtime.fact('leg:ended', legId);
    slow.resolve(loopback);
    expect(headerOf(await carrier.receive('SIP/2.0 487'), 'CSeq')).toContain(method);
  });
});

test('a re-INVITE that is cancelled before its host is resolved changes nothing', async () => {
  call = await rawInboundCall(fixture);
  const { carrier, leg, audio } = call;
  const before = leg.session;
  await offerSlowly('INVITE', call, 9_002);
  carrier.send('CANCEL');
  expect(headerOf(await carrier.receive('SIP/2.0 487'), 'CSeq')).toContain('INVITE');
  slow.resolve(loopback);
  // The response shows that the result of the lookup has been processed.
  expect(await carrier.request('OPTIONS')).toContain('SIP/2.0 200');
  expect(leg.session).toEqual(before);
  expect(await carrier.request('UPDATE', { body: sdp(audio.port) })).toContain('SIP/2.0 200');
});
