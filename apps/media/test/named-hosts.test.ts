/** Offers inside a call whose `c=` names a host: they are answered once it has an address. */
import type { LookupAddress } from 'node:dns';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { Bench } from './bench.ts';
import { hears } from './calls.ts';
import { eventually } from './fake-realtime.ts';
import { headerOf, sdp } from './raw-carrier.ts';
import { rawCallIn, rawCallOut, type RawCall } from './raw-calls.ts';

/** The name server: `slow.example` is answered when the test says so. */
let slow = Promise.withResolvers<LookupAddress[]>();
let asked = 0;
const loopback = [{ address: '127.0.0.1', family: 4 }];
vi.mock('node:dns/promises', () => ({
  lookup: (name: string): Promise<LookupAddress[]> => {
    asked += 1;
    if (name === 'slow.example') return slow.promise;
    if (name === 'media.example') return Promise.resolve(loopback);
    return Promise.reject(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }));
  },
}));

let bench: Bench;
let call: RawCall | null = null;
const ports: RtpPort[] = [];

beforeAll(async () => {
  bench = await Bench.start();
});
afterEach(async () => {
  await call?.close();
  call = null;
  for (const port of ports.splice(0)) port.close();
});
afterAll(() => bench.close());

const sdpAt = (host: string, port: number): string =>
  sdp(port, { version: 2 }).replace('c=IN IP4 127.0.0.1', `c=IN IP4 ${host}`);
const playTone = ({ callId, legId }: RawCall) =>
  bench.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
const hearsTone = (audio: RtpPort) =>
  eventually('the hold tone is heard', () => hears(audio.heard, 'PCMA', 440, 200));

async function otherPort(): Promise<RtpPort> {
  const port = await RtpPort.open({ law: 'PCMA' });
  ports.push(port);
  return port;
}

/** Sends an offer that waits for the name server. */
async function offerSlowly(method: 'INVITE' | 'UPDATE', { carrier }: RawCall, port: number): Promise<void> {
  slow = Promise.withResolvers();
  const before = asked;
  carrier.cseq += 1;
  carrier.send(method, { body: sdpAt('slow.example', port) });
  await eventually('the name server is asked', () => asked > before);
}

describe.each([
  ['INVITE', 'from a carrier', rawCallIn],
  ['INVITE', 'to a carrier', rawCallOut],
  ['UPDATE', 'from a carrier', rawCallIn],
  ['UPDATE', 'to a carrier', rawCallOut],
] as const)('an %s in a call %s', (method, _direction, open) => {
  test('with a host that does not exist is refused, and audio goes on to where it went', async () => {
    call = await open(bench);
    const { carrier, leg, audio } = call;
    const before = leg.session;
    const moved = await otherPort();
    const reply = await carrier.ask(method, { body: sdpAt('nowhere.example', moved.port) });
    expect(reply).toContain('SIP/2.0 488');
    if (method === 'INVITE') carrier.send('ACK');
    expect(leg.session).toEqual(before);
    await playTone(call);
    await hearsTone(audio);
    expect(moved.heard).toEqual([]);
  });

  test('is answered when its host has an address, and audio goes there', async () => {
    call = await open(bench);
    const moved = await otherPort();
    const before = asked;
    const reply = await call.carrier.ask(method, { body: sdpAt('media.example', moved.port) });
    expect(reply).toContain('SIP/2.0 200');
    if (method === 'INVITE') call.carrier.send('ACK');
    expect(call.leg.session?.remote).toMatchObject({ address: '127.0.0.1', port: moved.port });
    await playTone(call);
    await hearsTone(moved);
    expect(asked).toBe(before + 1);
  });

  test('makes another offer wait until its host is known', async () => {
    call = await open(bench);
    const { carrier, leg, audio } = call;
    const moved = await otherPort();
    await offerSlowly(method, call, moved.port);
    const first = carrier.cseq;
    for (const other of ['INVITE', 'UPDATE']) {
      const refusal = await carrier.ask(other, { body: sdp(audio.port, { version: 3 }) });
      expect(refusal).toContain('SIP/2.0 500');
      expect(headerOf(refusal, 'Retry-After')).not.toBe('');
      if (other === 'INVITE') carrier.send('ACK');
    }
    slow.resolve(loopback);
    await carrier.take('SIP/2.0 200');
    if (method === 'INVITE') carrier.send('ACK', {}, first);
    await eventually('audio goes to the first offer', () => leg.session?.remote.port === moved.port);
  });

  test('is answered 487 when the call ends before its host is known', async () => {
    call = await open(bench);
    const { carrier, legId } = call;
    await offerSlowly(method, call, 9_002);
    expect(await carrier.ask('BYE')).toContain('SIP/2.0 200');
    await bench.realtime.fact('leg:ended', legId);
    slow.resolve(loopback);
    expect(headerOf(await carrier.take('SIP/2.0 487'), 'CSeq')).toContain(method);
  });
});

test('a re-INVITE that is cancelled before its host is known changes nothing', async () => {
  call = await rawCallIn(bench);
  const { carrier, leg, audio } = call;
  const before = leg.session;
  await offerSlowly('INVITE', call, 9_002);
  carrier.send('CANCEL');
  expect(headerOf(await carrier.take('SIP/2.0 487'), 'CSeq')).toContain('INVITE');
  slow.resolve(loopback);
  // By the time of this answer that of the name server has been read.
  expect(await carrier.ask('OPTIONS')).toContain('SIP/2.0 200');
  expect(leg.session).toEqual(before);
  expect(await carrier.ask('UPDATE', { body: sdp(audio.port) })).toContain('SIP/2.0 200');
});
