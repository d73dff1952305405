/** Which addresses in SDP audio is sent to. Private addresses are not allowed here, as in production. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { startDnsServer, type DnsServer } from '@clarion/testkit/peers/dns-server';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';
import { RawCarrier } from './support/raw-carrier.ts';

const HOLD_HZ = 440;

let fixture: MediaFixture;
let dns: DnsServer;
const ports: RtpPort[] = [];

beforeAll(async () => {
  dns = await startDnsServer((name) => (name === 'sbc.test' ? ['127.0.0.1'] : null));
  const settings = { CLARION_ALLOW_PRIVATE_EGRESS: '0' };
  fixture = await MediaFixture.start({ dnsServers: [dns.address] }, [], settings);
});
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});
afterAll(async () => {
  await fixture.close();
  await dns.close();
});

async function openPort(address = '127.0.0.1'): Promise<RtpPort> {
  const port = await RtpPort.open({ address, law: 'PCMA' });
  ports.push(port);
  return port;
}

const sdpOf = (connection: string, port: number): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 192.0.2.1',
    's=-',
    `c=${connection}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 8`,
    '',
  ].join('\r\n');

/** Runs `work` in an answered call with this SDP, which hears the hold tone. */
async function answered(
  sdp: string,
  sourceCidrs: string[],
  work: (rtpPort: number) => Promise<void>,
): Promise<void> {
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId, { sourceCidrs, localEndpointOnly: true });
  const phone = await SipPhone.open({ laws: ['PCMA'] });
  const call = await phone.call('1', fixture.sip, { sdp });
  try {
    await call.rings();
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    await fixture.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
    await fixture.realtime.command('carrier:answer', { callId, legId });
    await call.answered();
    await work(fixture.media.calls.carrier(callId, legId)?.port ?? 0);
  } finally {
    await fixture.realtime.command('call:release', { callId });
    await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
    phone.close();
  }
}

describe('a private address in an SDP', () => {
  test('outside the trunk’s ranges gets no audio, which is sent to the source within them once that has sent', async () => {
    const victim = await openPort('127.0.0.2');
    const source = await openPort();
    await answered(sdpOf('IN IP4 127.0.0.2', victim.port), ['127.0.0.1/32'], async (port) => {
      victim.remote = { address: '127.0.0.1', port };
      victim.sendTone(600);
      await eventually('it has sent for half a second', () => victim.sent > 25);
      expect(victim.heard).toEqual([]);
      source.remote = { address: '127.0.0.1', port };
      source.sendTone(500);
      await eventually('audio is sent to the source', () => containsTone(source.heard, 'PCMA', HOLD_HZ, 200));
      expect(victim.heard).toEqual([]);
    });
  });

  test('within the trunk’s ranges gets audio immediately', async () => {
    const far = await openPort('127.0.0.2');
    await answered(sdpOf('IN IP4 127.0.0.2', far.port), ['127.0.0.0/8'], () =>
      eventually('audio is sent there', () => containsTone(far.heard, 'PCMA', HOLD_HZ, 200)),
    );
  });

  test('behind a host name is treated the same', async () => {
    const far = await openPort();
    await answered(sdpOf('IN IP4 localhost', far.port), ['127.0.0.1'], () =>
      eventually('audio is sent there', () => containsTone(far.heard, 'PCMA', HOLD_HZ, 200)),
    );
    await answered(sdpOf('IN IP4 localhost', far.port), ['192.0.2.0/24'], async (port) => {
      far.heard = [];
      far.remote = { address: '127.0.0.1', port };
      far.sendTone(600);
      const before = far.sent;
      await eventually('it has sent for half a second', () => far.sent > before + 25);
      expect(far.heard).toEqual([]);
    });
  });
});

test('the private address of an operator’s trunk that is configured by name is used once it has answered', async () => {
  const callId = fixture.callId();
  const legId = `out-${callId}`;
  const carrier = await RawCarrier.open(fixture.gateway.sipPort);
  const audio = await RtpPort.open({ law: 'PCMA' });
  await fixture.dial(callId, legId, carrier.port, { trunk: { host: 'sbc.test', platform: true } });
  const invite = await carrier.receive('INVITE ');
  carrier.join(invite);
  carrier.answer(invite, 200, { body: sdpOf('IN IP4 127.0.0.1', audio.port) });
  await carrier.receive('ACK ');
  await fixture.realtime.fact('leg:connected', legId);
  const leg = fixture.media.calls.carrier(callId, legId);
  await fixture.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
  await eventually('audio is sent there', () => containsTone(audio.heard, 'PCMA', HOLD_HZ, 200));
  const before = (await leg?.activityCount()) ?? 0;
  audio.remote = { address: '127.0.0.1', port: leg?.port ?? 0 };
  audio.sendTone(600);
  await vi.waitFor(async () => expect(await leg?.activityCount()).toBeGreaterThan(before));
  await fixture.realtime.command('call:release', { callId });
  await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
  audio.close();
  carrier.close();
});

test('the private address of a consumer’s trunk is not called, by name or as an address', async () => {
  for (const host of ['sbc.test', '127.0.0.1']) {
    const callId = fixture.callId();
    await fixture.dial(callId, `out-${callId}`, 9, { trunk: { host } });
    const { end } = await fixture.realtime.fact('leg:ended', `out-${callId}`);
    expect(end).toMatchObject({ cause: 'unreachable', reason: 'host_private' });
  }
});

describe('an INVITE is rejected without a request to realtime when its SDP contains', () => {
  test.each([
    ['an IPv6 address', 'IN IP6 2606:4700::1111', 488],
    ['no address', 'IN IP4 300.1.1.1', 400],
  ])('%s', async (_what, connection, status) => {
    const before = fixture.realtime.invites.length;
    const phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip, { sdp: sdpOf(connection, 4_000) });
    expect(await call.ended()).toMatchObject({ how: 'refused', status });
    expect(fixture.realtime.invites.length).toBe(before);
    phone.close();
  });
});

describe('a host name in an SDP that does not exist', () => {
  const naming = sdpOf('IN IP4 no-such-host.invalid', 4_000);

  test('is not looked up for an unknown source: realtime rejects the call', async () => {
    fixture.realtime.decide = () => ({ action: 'reject', status: 403, reason: 'Forbidden' });
    const phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip, { sdp: naming });
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 403 });
    phone.close();
  });

  test('ends an accepted call with 488', async () => {
    const callId = fixture.callId();
    fixture.realtime.decide = () => acceptance(callId);
    const phone = await SipPhone.open();
    const call = await phone.call('1', fixture.sip, { sdp: naming });
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 488 });
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    const { end } = await fixture.realtime.fact('leg:ended', legId);
    expect(end).toMatchObject({ cause: 'media-error', sipStatus: 488 });
    await eventually('the call has been removed', () => fixture.media.calls.find(callId) === undefined);
    phone.close();
  });
});
