import { selfSigned } from '@clarion/sip-gateway/self-signed';
import { newSrtpKey, srtpSuites, type SrtpSuite } from '@clarion/test-phone/rtp/srtp';
import { SipPhone, type PhoneOptions } from '@clarion/test-phone/sip/phone';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { containsTone } from './support/calls.ts';
import { inboundCall, outboundCall } from './support/carrier-call.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';
import { MediaFixture } from './support/media-fixture.ts';

const SUITES = Object.keys(srtpSuites) as SrtpSuite[];
/** Read by tests/failure-catalogue.test.ts. */
export const producedFailures = ['srtp_without_tls', 'srtp_required', 'srtp_unsupported'];
const certificate = () => selfSigned(['127.0.0.1'], new Date(), new Date(Date.now() + 3_600_000));
const [ours, theirs] = [certificate(), certificate()];
let fixture: MediaFixture;
const phones: SipPhone[] = [];

beforeAll(async () => {
  fixture = await MediaFixture.start({}, [], {}, pino({ level: 'silent' }), {
    tls: { ...ours, ca: theirs.cert, port: 0 },
  });
});
afterEach(async () => {
  for (const phone of phones.splice(0)) phone.close();
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
});
afterAll(() => fixture.close());

async function phoneOverTls(options: PhoneOptions = {}): Promise<SipPhone> {
  const phone = await SipPhone.open({
    transport: 'tls',
    certificate: { ...theirs, ca: ours.cert },
    laws: ['PCMA'],
    ...options,
  });
  phones.push(phone);
  return phone;
}
const udpPhone = async (options: PhoneOptions): Promise<SipPhone> => {
  const phone = await SipPhone.open({ laws: ['PCMA'], ...options });
  phones.push(phone);
  return phone;
};

describe.each(SUITES)('a call over TLS with %s', (srtp) => {
  test('from a carrier is heard by both, and stays on the local endpoint', async () => {
    const phone = await phoneOverTls({ srtp });
    const call = await inboundCall(fixture, phone, fixture.sips, { srtp: true });
    expect(fixture.realtime.invites.at(-1)?.source.transport).toBe('TLS');
    expect(call.call.remoteSdp).toMatch(new RegExp(`m=audio \\d+ RTP/SAVP [^]*a=crypto:1 ${srtp} inline:`));
    expect(call.call.audio.unprotect?.rejected).toBe(0);
    expect(call.leg.handedOverTo).toBeNull();
    expect(await call.leg.stats()).toMatchObject({ droppedUnauthentic: 0, handedOverPackets: 0 });
    await call.close();
  });

  test('to a carrier is heard by both', async () => {
    const phone = await phoneOverTls({ srtp });
    const call = await outboundCall(fixture, phone, { transport: 'TLS', srtp: true });
    expect(call.call.remoteSdp).toMatch(/m=audio \d+ RTP\/SAVP/);
    expect(call.call.remoteSdp.match(/a=crypto:/g)).toHaveLength(4);
    await call.heardByBoth();
    await call.close();
  });
});

test('packets on the wire are encrypted: without the key nothing is heard', async () => {
  const phone = await phoneOverTls({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
  const call = await inboundCall(fixture, phone, fixture.sips, { srtp: true });
  const { audio } = call.call;
  audio.unprotect = null;
  audio.heard = [];
  await eventually('half a second is received', () => audio.heard.length > 25);
  // A tone of 1000 Hz repeats every 8 samples; key stream does not.
  const [packet] = audio.heard;
  expect(packet?.payload.length).toBe(160 + 10);
  expect(new Set(packet?.payload).size).toBeGreaterThan(60);
  await call.close();
});

describe('an encrypted call', () => {
  test('survives a wrap of the sequence numbers, and packets that are not authentic', async () => {
    const phone = await phoneOverTls({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
    const call = await inboundCall(
      fixture,
      phone,
      fixture.sips,
      { srtp: true },
      {
        prepare: ({ audio }) => (audio.sequence = 0xffe0),
      },
    );
    await eventually('the sequence numbers have wrapped', () => call.call.audio.sequence < 0x1000);
    call.call.audio.sendRaw(Buffer.alloc(182, 0x80));
    await call.heardByBoth();
    expect(await call.leg.stats()).toMatchObject({ droppedUnauthentic: 1, ssrcChanges: 0 });
    await call.close();
  });

  test('keeps its keys and its SSRC across hold', async () => {
    const phone = await phoneOverTls({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
    const call = await inboundCall(fixture, phone, fixture.sips, { srtp: true });
    const before = /a=crypto:.*/.exec(call.call.remoteSdp)?.[0];
    const ssrc = call.call.audio.heard.at(-1)?.ssrc;
    expect((await call.call.reinvite('sendonly')).status).toBe(200);
    expect(call.leg.direction).toBe('sendonly');
    expect((await call.call.reinvite()).status).toBe(200);
    expect(/a=crypto:.*/.exec(call.call.remoteSdp)?.[0]).toBe(before);
    await call.heardByBoth();
    expect(call.call.audio.heard.at(-1)?.ssrc).toBe(ssrc);
    await call.close();
  });

  test('continues with new keys in both directions after a re-INVITE with a new key', async () => {
    const phone = await phoneOverTls({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
    const call = await inboundCall(fixture, phone, fixture.sips, { srtp: true });
    const before = /a=crypto:.*/.exec(call.call.remoteSdp)?.[0];
    const ssrc = call.call.audio.heard.at(-1)?.ssrc;
    call.call.key = newSrtpKey();
    expect((await call.call.reinvite()).status).toBe(200);
    expect(/a=crypto:.*/.exec(call.call.remoteSdp)?.[0]).not.toBe(before);
    await call.heardByBoth();
    expect(call.call.audio.heard.at(-1)?.ssrc).not.toBe(ssrc);
    await call.close();
  });
});

describe('a call over TLS', () => {
  test('that was handed over is taken back when its audio becomes encrypted, and handed over again afterwards', async () => {
    const call = await inboundCall(fixture, await phoneOverTls(), fixture.sips);
    await eventually('the leg is handed over', () => call.leg.handedOverTo !== null);
    call.call.key = newSrtpKey();
    expect((await call.call.reinvite()).status).toBe(200);
    await eventually('the leg is taken back', () => call.leg.handedOverTo === null);
    await call.heardByBoth();
    call.call.key = null;
    expect((await call.call.reinvite()).status).toBe(200);
    call.call.audio.protect = null;
    call.call.audio.unprotect = null;
    await eventually('the leg is handed over again', () => call.leg.handedOverTo !== null);
    await call.heardByBoth();
    await call.close();
  });

  test('without an offer gets an encrypted one if the trunk requires it', async () => {
    const call = await inboundCall(
      fixture,
      await phoneOverTls({ srtp: 'AES_CM_128_HMAC_SHA1_80' }),
      fixture.sips,
      { srtp: true },
      {
        sdp: '',
        prepare: (one) => {
          one.acknowledging = ({ body }) => {
            one.takeSdp(body);
            return { body: one.sdp(), contentType: 'application/sdp' };
          };
        },
      },
    );
    expect(call.call.remoteSdp).toContain('RTP/SAVP');
    await call.close();
  });

  test('to a carrier with encrypted early media is heard before the answer', async () => {
    const phone = await phoneOverTls({
      srtp: 'AES_CM_128_HMAC_SHA1_80',
      behaviour: { do: 'answer', earlyMedia: true, afterMs: 60_000 },
    });
    const callId = fixture.callId();
    const [legId, agentId] = [`carrier-${callId}`, `agent-${callId}`];
    const agent = await fixture.agent(callId, agentId);
    await fixture.route(callId, { [legId]: [], [agentId]: [{ kind: 'leg', legId }] });
    const coming = phone.nextCall();
    await fixture.dial(callId, legId, phone.port, { trunk: { transport: 'TLS', srtp: true } });
    const call = await coming;
    call.audio.sendTone(440);
    await eventually('the agent hears the early media', () => containsTone(agent.heard, 'PCMA', 440));
    await fixture.realtime.command('call:release', { callId });
    agent.close();
    await fixture.realtime.fact('leg:ended', legId);
  });
});

describe('the trunk decides about encryption', () => {
  test('keys over UDP are rejected with 488, and realtime is not asked', async () => {
    const asked = fixture.realtime.invites.length;
    const phone = await udpPhone({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
    const call = await phone.call('4930123', fixture.sip);
    expect(await call.ended()).toMatchObject({
      status: 488,
      reason: 'encrypted audio requires SIP over TLS',
    });
    expect(fixture.realtime.invites.length).toBe(asked);
    expect(fixture.realtime.facts.findLast(({ fact }) => fact === 'invite:refused')?.payload).toMatchObject({
      status: 488,
      code: 'srtp_without_tls',
    });
  });

  test.each([
    ['over TLS', 'tls'],
    ['over UDP', 'udp'],
  ] as const)(
    'a call without encryption %s is rejected with 488 if the trunk requires it',
    async (_how, how) => {
      const callId = fixture.callId();
      fixture.realtime.decide = () => acceptance(callId, { srtp: true });
      const phone = how === 'tls' ? await phoneOverTls() : await udpPhone({});
      const call = await phone.call('4930123', how === 'tls' ? fixture.sips : fixture.sip);
      expect(await call.ended()).toMatchObject({ status: 488 });
      const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
      expect((await fixture.realtime.fact('leg:ended', legId)).end).toMatchObject({
        cause: 'media-error',
        sipStatus: 488,
        reason: 'srtp_required',
      });
    },
  );

  test.each([null, 'AES_CM_128_HMAC_SHA1_32'] as const)(
    'a trunk over TLS that does not require it accepts the offer as it is (%s)',
    async (srtp) => {
      const call = await inboundCall(fixture, await phoneOverTls({ srtp }), fixture.sips);
      expect(call.call.remoteSdp).toContain(srtp ? 'RTP/SAVP' : 'RTP/AVP');
      await call.close();
    },
  );

  test('an offer whose keys cannot be used is rejected with 488', async () => {
    const phone = await phoneOverTls({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
    const call = await phone.call('4930123', fixture.sips, {
      sdp: (one) => one.sdp().replace('AES_CM_128_HMAC_SHA1_80', 'F8_128_HMAC_SHA1_80'),
    });
    expect(await call.ended()).toMatchObject({ status: 488 });
    expect(fixture.realtime.facts.findLast(({ fact }) => fact === 'invite:refused')?.payload).toMatchObject({
      code: 'srtp_unsupported',
    });
  });

  test('a carrier that answers an encrypted offer without encryption is hung up', async () => {
    const phone = await phoneOverTls();
    const callId = fixture.callId();
    await fixture.dial(callId, 'plain-answer', phone.port, { trunk: { transport: 'TLS', srtp: true } });
    const { end } = await fixture.realtime.fact('leg:ended', 'plain-answer');
    expect(end).toMatchObject({ cause: 'media-error', sipStatus: 200 });
    await eventually('the carrier has been hung up', () => phone.calls[0]?.state === 'ended');
  });

  test('keys are never sent over UDP', async () => {
    const phone = await udpPhone({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
    await fixture.dial(fixture.callId(), 'no-tls', phone.port, { trunk: { srtp: true } });
    const { end } = await fixture.realtime.fact('leg:ended', 'no-tls');
    expect(end).toMatchObject({ cause: 'unreachable', reason: 'srtp_without_tls' });
    expect(phone.calls).toEqual([]);
  });
});

test('calls to one carrier share a TLS connection, and a new one is opened after the carrier has closed it', async () => {
  const phone = await phoneOverTls({ srtp: 'AES_CM_128_HMAC_SHA1_80' });
  const trunk = { transport: 'TLS', srtp: true } as const;
  const [first, second] = [
    await outboundCall(fixture, phone, trunk),
    await outboundCall(fixture, phone, trunk),
  ];
  expect(phone.connections).toBe(1);
  await second.close();
  phone.disconnect();
  await eventually('the connection is closed', () => phone.connections === 0);
  const third = await outboundCall(fixture, phone, trunk);
  expect(phone.connections).toBe(1);
  await third.close();
  // The BYE of a call that began on the closed connection.
  await first.close();
});
