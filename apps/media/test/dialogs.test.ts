import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { Bench } from './bench.ts';
import { hears } from './calls.ts';
import { eventually } from './fake-realtime.ts';
import { bodyOf, headerOf, sdp, versionOf } from './raw-carrier.ts';
import { rawCallIn, rawCallOut, ringing, type RawCall } from './raw-calls.ts';

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

/** The node plays the hold tone to the carrier. */
const playTone = ({ callId, legId }: { callId: number; legId: string }) =>
  bench.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });

async function otherPort(): Promise<RtpPort> {
  const port = await RtpPort.open({ law: 'PCMA' });
  ports.push(port);
  return port;
}

const hearsTone = (audio: RtpPort) =>
  eventually('the hold tone is heard', () => hears(audio.heard, 'PCMA', 440, 200));

describe.each([
  ['a call from a carrier', rawCallIn],
  ['a call to a carrier', rawCallOut],
] as const)('in %s', (_, open) => {
  test('a re-INVITE without an offer is answered with everything we support, and the answer in the ACK is applied', async () => {
    call = await open(bench);
    const { carrier, leg } = call;
    const held = await carrier.ask('INVITE', {
      body: sdp(call.audio.port, { version: 2, direction: 'sendonly' }),
    });
    carrier.send('ACK');
    expect(bodyOf(held)).toContain('a=recvonly');
    expect(leg.direction).toBe('sendonly');

    const offer = await carrier.ask('INVITE');
    expect(bodyOf(offer)).toContain('a=sendrecv');
    expect(bodyOf(offer)).toMatch(/m=audio \d+ RTP\/AVP (?:0 8|8 0) /);
    expect(versionOf(offer)).toBe(versionOf(held) + 1);
    expect(headerOf(offer, 'Allow')).toContain('UPDATE');
    const moved = await otherPort();
    carrier.send('ACK', { body: sdp(moved.port, { version: 3, laws: '8' }) });
    await eventually('the call is off hold', () => leg.direction === 'sendrecv');
    await playTone(call);
    await hearsTone(moved);
    expect(hears(call.audio.heard, 'PCMA', 440, 200)).toBe(false);
  });

  test('an ACK without a usable answer to our offer leaves the session unchanged', async () => {
    call = await open(bench);
    const { carrier, leg } = call;
    const before = leg.session;
    for (const body of ['', sdp(9, { laws: '18' }), 'v=1']) {
      expect(await carrier.ask('INVITE')).toContain('SIP/2.0 200');
      carrier.send('ACK', { body });
      // The next request is answered after the ACK was read.
      expect(await carrier.ask('OPTIONS')).toContain('SIP/2.0 200');
      expect(leg.session).toEqual(before);
    }
    await playTone(call);
    await hearsTone(call.audio);
  });

  test('while our offer is unanswered another offer is refused with 491, and accepted afterwards', async () => {
    call = await open(bench);
    const { carrier } = call;
    expect(await carrier.ask('INVITE')).toContain('SIP/2.0 200');
    const offered = carrier.cseq;
    expect(await carrier.ask('UPDATE', { body: sdp(call.audio.port, { version: 2 }) })).toContain(
      'SIP/2.0 491',
    );
    expect(await carrier.ask('UPDATE')).toContain('SIP/2.0 200');
    expect(await carrier.ask('INVITE', { body: sdp(call.audio.port, { version: 2 }) })).toContain(
      'SIP/2.0 491',
    );
    carrier.send('ACK', {});
    carrier.send('ACK', { body: sdp(call.audio.port, { version: 2 }) }, offered);
    expect(await carrier.ask('UPDATE', { body: sdp(call.audio.port, { version: 3 }) })).toContain(
      'SIP/2.0 200',
    );
  });

  test('a re-INVITE or UPDATE we cannot accept gets 488 and leaves the session unchanged', async () => {
    call = await open(bench);
    const { carrier, leg } = call;
    const before = leg.session;
    expect(await carrier.ask('INVITE', { body: sdp(9, { laws: '18' }) })).toContain('SIP/2.0 488');
    carrier.send('ACK');
    expect(await carrier.ask('UPDATE', { body: sdp(9, { laws: '18' }) })).toContain('SIP/2.0 488');
    expect(leg.session).toEqual(before);
    await playTone(call);
    await hearsTone(call.audio);
  });

  test('an UPDATE moves the audio as a re-INVITE does', async () => {
    call = await open(bench);
    const moved = await otherPort();
    const reply = await call.carrier.ask('UPDATE', { body: sdp(moved.port, { version: 2 }) });
    expect(reply).toContain('SIP/2.0 200');
    expect(bodyOf(reply)).toContain('a=sendrecv');
    await playTone(call);
    await hearsTone(moved);
  });

  test('an UPDATE without SDP refreshes the session and the answer says who refreshes', async () => {
    call = await open(bench);
    const reply = await call.carrier.ask('UPDATE', {
      headers: ['Supported: timer', 'Session-Expires: 1800;refresher=uac'],
    });
    expect(reply).toContain('SIP/2.0 200');
    expect(bodyOf(reply)).toBe('');
    expect(headerOf(reply, 'Session-Expires')).toBe('1800;refresher=uac');
    expect(headerOf(reply, 'Contact')).not.toBe('');
  });

  test('a refresh by re-INVITE is answered with the description it had', async () => {
    call = await open(bench);
    const body = sdp(call.audio.port);
    const first = await call.carrier.ask('INVITE', { body });
    call.carrier.send('ACK');
    const second = await call.carrier.ask('INVITE', { body });
    call.carrier.send('ACK');
    expect(bodyOf(second)).toBe(bodyOf(first));
  });

  test.each(['REFER', 'MESSAGE', 'NOTIFY', 'PUBLISH'])('%s is refused with 405 and Allow', async (method) => {
    call = await open(bench);
    const headers = method === 'REFER' ? ['Refer-To: <sip:00900123456@127.0.0.1>'] : [];
    const reply = await call.carrier.ask(method, { headers });
    expect(reply).toContain('SIP/2.0 405');
    expect(headerOf(reply, 'Allow')).toMatch(/^INVITE, .*UPDATE$/);
    expect(headerOf(reply, 'Allow')).not.toContain('REFER');
  });

  test('OPTIONS is answered with our capabilities', async () => {
    call = await open(bench);
    const reply = await call.carrier.ask('OPTIONS');
    expect(reply).toContain('SIP/2.0 200');
    expect(headerOf(reply, 'Allow')).toContain('INVITE');
  });

  test('a BYE ends a call whose re-INVITE waits for its ACK', async () => {
    call = await open(bench);
    expect(await call.carrier.ask('INVITE')).toContain('SIP/2.0 200');
    expect(await call.carrier.ask('BYE')).toContain('SIP/2.0 200');
    expect((await bench.realtime.fact('leg:ended', call.legId)).end.cause).toBe('remote-bye');
  });
});

test('a key by INFO that the carrier challenges is sent again with the trunk’s password', async () => {
  call = await rawCallOut(bench, { username: 'acme', password: 'secret' });
  const { carrier, callId, legId } = call;
  const pressed = bench.realtime.command('leg:dtmf', { callId, legId, digits: '5' });
  const challenge = 'Proxy-Authenticate: Digest realm="carrier", nonce="n", algorithm=MD5';
  carrier.answer(await carrier.take('INFO '), 407, { headers: [challenge] });
  const again = await carrier.take('INFO ');
  const credentials = headerOf(again, 'Proxy-Authorization');
  expect(credentials).toContain('username="acme"');
  // A carrier may compare them (RFC 3261 §22.4).
  expect(credentials).toContain(`uri="${again.split(' ', 2)[1]}"`);
  expect(bodyOf(again)).toContain('Signal=5');
  // An UPDATE meanwhile is answered too.
  expect(await carrier.ask('UPDATE', { body: sdp(call.audio.port, { version: 2 }) })).toContain(
    'SIP/2.0 200',
  );
  carrier.answer(again, 200);
  await pressed;
});

describe('before the answer of a call from a carrier', () => {
  test('an UPDATE with an offer must wait for the offer of the INVITE, one without is accepted', async () => {
    const early = await ringing(bench);
    expect(await early.carrier.ask('UPDATE')).toContain('SIP/2.0 200');
    const reply = await early.carrier.ask('UPDATE', { body: sdp(early.audio.port, { version: 2 }) });
    expect(reply).toContain('SIP/2.0 500');
    // RFC 3311, section 5.2: a number of seconds from 0 to 10.
    expect(headerOf(reply, 'Retry-After')).toMatch(/^(?:\d|10)$/);
    await early.close();
  });

  test('a caller that requires reliable provisional responses gets them', async () => {
    const early = await ringing(bench, { headers: ['Require: 100rel'] });
    expect(headerOf(early.ring, 'Require')).toBe('100rel');
    const rseq = headerOf(early.ring, 'RSeq');
    expect(await early.carrier.ask('PRACK', { headers: [`RAck: ${rseq} 1 INVITE`] })).toContain(
      'SIP/2.0 200',
    );
    await early.close();
  });

  test('the 180 and the 200 have an Allow header', async () => {
    const early = await ringing(bench);
    expect(headerOf(early.ring, 'Allow')).toContain('UPDATE');
    await bench.realtime.command('carrier:answer', { callId: early.callId, legId: early.legId });
    expect(headerOf(await early.carrier.take('SIP/2.0 200'), 'Allow')).toContain('UPDATE');
    early.carrier.send('ACK');
    await early.close();
  });
});

test.each([405, 415, 501])(
  'a key by INFO that the carrier refuses with %d is not taken as sent',
  async (status) => {
    call = await rawCallOut(bench);
    const sent = bench.media.calls.signalling(call.legId)?.sendInfo('5', 100);
    const refusal = sent?.catch(String);
    call.carrier.answer(await call.carrier.take('INFO '), status);
    expect(await refusal).toContain(`${status}`);
  },
);
