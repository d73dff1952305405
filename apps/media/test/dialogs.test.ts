import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';
import { bodyOf, headerOf, sdp, versionOf } from './support/raw-carrier.ts';
import { rawInboundCall, rawOutboundCall, ringing, type RawCall } from './support/raw-calls.ts';

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

/** Plays the hold tone to the carrier. */
const playTone = ({ callId, legId }: { callId: number; legId: string }) =>
  fixture.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });

async function otherPort(): Promise<RtpPort> {
  const port = await RtpPort.open({ law: 'PCMA' });
  ports.push(port);
  return port;
}

const hearsTone = (audio: RtpPort) =>
  eventually('the hold tone is heard', () => containsTone(audio.heard, 'PCMA', 440, 200));

describe.each([
  ['an inbound call', rawInboundCall],
  ['an outbound call', rawOutboundCall],
] as const)('in %s', (_, open) => {
  test('a re-INVITE without an offer gets an offer of everything we support, and the answer in its ACK is applied', async () => {
    call = await open(fixture);
    const { carrier, leg } = call;
    const held = await carrier.request('INVITE', {
      body: sdp(call.audio.port, { version: 2, direction: 'sendonly' }),
    });
    carrier.send('ACK');
    expect(bodyOf(held)).toContain('a=recvonly');
    expect(leg.direction).toBe('sendonly');

    const offer = await carrier.request('INVITE');
    expect(bodyOf(offer)).toContain('a=sendrecv');
    expect(bodyOf(offer)).toMatch(/m=audio \d+ RTP\/AVP (?:0 8|8 0) /);
    expect(versionOf(offer)).toBe(versionOf(held) + 1);
    expect(headerOf(offer, 'Allow')).toContain('UPDATE');
    const moved = await otherPort();
    carrier.send('ACK', { body: sdp(moved.port, { version: 3, laws: '8' }) });
    await eventually('the call is resumed', () => leg.direction === 'sendrecv');
    await playTone(call);
    await hearsTone(moved);
    expect(containsTone(call.audio.heard, 'PCMA', 440, 200)).toBe(false);
  });

  test('an ACK without a usable answer to our offer leaves the session unchanged', async () => {
    call = await open(fixture);
    const { carrier, leg } = call;
    const before = leg.session;
    for (const body of ['', sdp(9, { laws: '18' }), 'v=1']) {
      expect(await carrier.request('INVITE')).toContain('SIP/2.0 200');
      carrier.send('ACK', { body });
      // The response to the next request shows that the ACK has been read.
      expect(await carrier.request('OPTIONS')).toContain('SIP/2.0 200');
      expect(leg.session).toEqual(before);
    }
    await playTone(call);
    await hearsTone(call.audio);
  });

  test('another offer is rejected with 491 while ours is unanswered, and accepted afterwards', async () => {
    call = await open(fixture);
    const { carrier } = call;
    expect(await carrier.request('INVITE')).toContain('SIP/2.0 200');
    const offered = carrier.cseq;
    expect(await carrier.request('UPDATE', { body: sdp(call.audio.port, { version: 2 }) })).toContain(
      'SIP/2.0 491',
    );
    expect(await carrier.request('UPDATE')).toContain('SIP/2.0 200');
    expect(await carrier.request('INVITE', { body: sdp(call.audio.port, { version: 2 }) })).toContain(
      'SIP/2.0 491',
    );
    carrier.send('ACK', {});
    carrier.send('ACK', { body: sdp(call.audio.port, { version: 2 }) }, offered);
    expect(await carrier.request('UPDATE', { body: sdp(call.audio.port, { version: 3 }) })).toContain(
      'SIP/2.0 200',
    );
  });

  test('a re-INVITE or UPDATE we cannot accept gets 488 and leaves the session unchanged', async () => {
    call = await open(fixture);
    const { carrier, leg } = call;
    const before = leg.session;
    expect(await carrier.request('INVITE', { body: sdp(9, { laws: '18' }) })).toContain('SIP/2.0 488');
    carrier.send('ACK');
    expect(await carrier.request('UPDATE', { body: sdp(9, { laws: '18' }) })).toContain('SIP/2.0 488');
    expect(leg.session).toEqual(before);
    await playTone(call);
    await hearsTone(call.audio);
  });

  test('an UPDATE moves the audio as a re-INVITE does', async () => {
    call = await open(fixture);
    const moved = await otherPort();
    const reply = await call.carrier.request('UPDATE', { body: sdp(moved.port, { version: 2 }) });
    expect(reply).toContain('SIP/2.0 200');
    expect(bodyOf(reply)).toContain('a=sendrecv');
    await playTone(call);
    await hearsTone(moved);
  });

  test('an UPDATE without SDP refreshes the session, and the response names the refresher', async () => {
    call = await open(fixture);
    const reply = await call.carrier.request('UPDATE', {
      headers: ['Supported: timer', 'Session-Expires: 1800;refresher=uac'],
    });
    expect(reply).toContain('SIP/2.0 200');
    expect(bodyOf(reply)).toBe('');
    expect(headerOf(reply, 'Session-Expires')).toBe('1800;refresher=uac');
    expect(headerOf(reply, 'Contact')).not.toBe('');
  });

  test('a refresh by re-INVITE gets the same session description', async () => {
    call = await open(fixture);
    const body = sdp(call.audio.port);
    const first = await call.carrier.request('INVITE', { body });
    call.carrier.send('ACK');
    const second = await call.carrier.request('INVITE', { body });
    call.carrier.send('ACK');
    expect(bodyOf(second)).toBe(bodyOf(first));
  });

  test.each(['REFER', 'MESSAGE', 'NOTIFY', 'PUBLISH'])(
    '%s is rejected with 405 and Allow',
    async (method) => {
      call = await open(fixture);
      const headers = method === 'REFER' ? ['Refer-To: <sip:00900123456@127.0.0.1>'] : [];
      const reply = await call.carrier.request(method, { headers });
      expect(reply).toContain('SIP/2.0 405');
      expect(headerOf(reply, 'Allow')).toMatch(/^INVITE, .*UPDATE$/);
      expect(headerOf(reply, 'Allow')).not.toContain('REFER');
    },
  );

  test('OPTIONS gets our capabilities', async () => {
    call = await open(fixture);
    const reply = await call.carrier.request('OPTIONS');
    expect(reply).toContain('SIP/2.0 200');
    expect(headerOf(reply, 'Allow')).toContain('INVITE');
  });

  test('a BYE ends a call whose re-INVITE is waiting for its ACK', async () => {
    call = await open(fixture);
    expect(await call.carrier.request('INVITE')).toContain('SIP/2.0 200');
    expect(await call.carrier.request('BYE')).toContain('SIP/2.0 200');
    expect((await fixture.realtime.fact('leg:ended', call.legId)).end.cause).toBe('remote-bye');
  });
});

test('an INFO that the carrier challenges is sent again with the trunk’s password', async () => {
  call = await rawOutboundCall(fixture, { username: 'acme', password: 'secret' });
  const { carrier, callId, legId } = call;
  const pressed = fixture.realtime.command('leg:dtmf', { callId, legId, digits: '5' });
  const challenge = 'Proxy-Authenticate: Digest realm="carrier", nonce="n", algorithm=MD5';
  carrier.answer(await carrier.receive('INFO '), 407, { headers: [challenge] });
  const again = await carrier.receive('INFO ');
  const credentials = headerOf(again, 'Proxy-Authorization');
  expect(credentials).toContain('username="acme"');
  // A carrier may compare them (RFC 3261 §22.4).
  expect(credentials).toContain(`uri="${again.split(' ', 2)[1]}"`);
  expect(bodyOf(again)).toContain('Signal=5');
  // An UPDATE in between gets a response too.
  expect(await carrier.request('UPDATE', { body: sdp(call.audio.port, { version: 2 }) })).toContain(
    'SIP/2.0 200',
  );
  carrier.answer(again, 200);
  await pressed;
});

describe('before an inbound call is answered', () => {
  test('an UPDATE with an offer must wait for the answer to the INVITE’s offer, one without is accepted', async () => {
    const early = await ringing(fixture);
    expect(await early.carrier.request('UPDATE')).toContain('SIP/2.0 200');
    const reply = await early.carrier.request('UPDATE', { body: sdp(early.audio.port, { version: 2 }) });
    expect(reply).toContain('SIP/2.0 500');
    // RFC 3311, section 5.2: a number of seconds from 0 to 10.
    expect(headerOf(reply, 'Retry-After')).toMatch(/^(?:\d|10)$/);
    await early.close();
  });

  test('a caller that requires reliable provisional responses gets them', async () => {
    const early = await ringing(fixture, { headers: ['Require: 100rel'] });
    expect(headerOf(early.ring, 'Require')).toBe('100rel');
    const rseq = headerOf(early.ring, 'RSeq');
    expect(await early.carrier.request('PRACK', { headers: [`RAck: ${rseq} 1 INVITE`] })).toContain(
      'SIP/2.0 200',
    );
    await early.close();
  });

  test('the 180 and the 200 have an Allow header', async () => {
    const early = await ringing(fixture);
    expect(headerOf(early.ring, 'Allow')).toContain('UPDATE');
    await fixture.realtime.command('carrier:answer', { callId: early.callId, legId: early.legId });
    expect(headerOf(await early.carrier.receive('SIP/2.0 200'), 'Allow')).toContain('UPDATE');
    early.carrier.send('ACK');
    await early.close();
  });
});

test.each([405, 415, 501])(
  'a DTMF INFO that the carrier rejects with %d is reported as failed',
  async (status) => {
    call = await rawOutboundCall(fixture);
    const sent = fixture.media.calls.signalling(call.legId)?.sendInfo('5', 100);
    const refusal = sent?.catch(String);
    call.carrier.answer(await call.carrier.receive('INFO '), status);
    expect(await refusal).toContain(`${status}`);
  },
);
