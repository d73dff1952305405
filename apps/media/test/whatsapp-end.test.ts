/** How WhatsApp legs end, what is refused, and what remains. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { IceLiteAgent } from '@clarion/meta-simulator/media/ice-lite';
import { OPUS, writeSdp } from '@clarion/meta-simulator/media/sdp';
import { readRemoteDescription } from '../src/ice/ice-sdp.ts';
import { WHATSAPP_TIMING } from '../src/whatsapp/whatsapp-leg.ts';
import { eventually } from './support/fake-realtime.ts';
import { IMPATIENT, peerOf, sha256Of } from './support/ice-peers.ts';
import { MediaFixture } from './support/media-fixture.ts';
import {
  accept,
  inboundWhatsApp,
  metaOffer,
  outboundWhatsApp,
  pathConnected,
  type WhatsAppCall,
} from './support/whatsapp-calls.ts';

/** Longer than a busy machine stalls: the customer is in this process too. */
const RTP_TIMEOUT_MS = 1_500;
const OTHER_FINGERPRINT = `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`;

let fixture: MediaFixture;
const calls: WhatsAppCall[] = [];
beforeAll(async () => {
  fixture = await MediaFixture.start({
    whatsAppTiming: {
      ...WHATSAPP_TIMING,
      ice: IMPATIENT,
      acceptWithinMs: 2_000,
      answerWithinMs: 1_000,
      dtlsTimeoutMs: 1_500,
      closedGraceMs: 100,
    },
    rtpTimeoutMs: RTP_TIMEOUT_MS,
    watchdogIntervalMs: 50,
  });
});
afterEach(async () => {
  await Promise.all(calls.splice(0).map((call) => call.close()));
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
  expect(await portsInUse()).toBe(0);
});
afterAll(() => fixture.close());

const added = async (call: Promise<WhatsAppCall>): Promise<WhatsAppCall> => {
  calls.push(await call);
  return call;
};

async function portsInUse(): Promise<number> {
  await eventually('all legs are closed', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${fixture.media.port}/metrics`)).text();
    return /clarion_media_rtp_port_pairs 0\n/.test(metrics);
  });
  return 0;
}

/** The end of the leg, which is reported once. */
async function endOf({ legId }: WhatsAppCall): Promise<string> {
  const { end } = await fixture.realtime.fact('leg:ended', legId);
  return end.cause;
}

/** A customer whose end is a mediasoup transport, which takes part in DTLS. */
async function mediasoupCustomer() {
  const callId = fixture.callId();
  const legId = `whatsapp-${callId}`;
  const peer = await fixture.media.calls.withCall(callId, ({ media }) => peerOf(media.worker));
  const { iceParameters, iceCandidates } = peer.transport;
  const sdpOffer = writeSdp({
    address: '127.0.0.1',
    port: iceCandidates[0]?.port ?? 0,
    ufrag: iceParameters.usernameFragment,
    password: iceParameters.password,
    fingerprint: sha256Of(peer).value,
    setup: 'actpass',
    mid: 'audio',
    codecs: [{ payloadType: 111, name: OPUS }],
    ssrc: 7,
  });
  const { sdpAnswer } = await fixture.realtime.command('whatsapp:answer', { callId, legId, sdpOffer });
  const { fingerprint } = readRemoteDescription(sdpAnswer);
  await peer.transport.connect({ dtlsParameters: { role: 'client', fingerprints: [fingerprint] } });
  return { callId, legId, peer };
}

describe('a leg ends', () => {
  test('as unreachable when Meta answers no ICE check', async () => {
    const call = await added(
      inboundWhatsApp(fixture, (sdp) => sdp.replace(/a=ice-pwd:\S+/, `a=ice-pwd:${'x'.repeat(24)}`)),
    );
    await call.open();
    expect(await endOf(call)).toBe('unreachable');
    expect(fixture.realtime.count('leg:connected', call.legId)).toBe(0);
  });

  test('not while Meta does not have our answer yet: a call may be accepted late', async () => {
    const call = await added(inboundWhatsApp(fixture));
    call.customer.interrupt('consent', true);
    const sinceMs = performance.now();
    await eventually(
      'ICE alone would have failed',
      () => performance.now() - sinceMs > 1.2 * IMPATIENT.limitMs,
    );
    expect(fixture.realtime.count('leg:ended', call.legId)).toBe(0);
    call.customer.interrupt('consent', false);
    await accept(fixture, call);
  });

  test('as unreachable when Meta answers no ICE check and nobody accepts the call', async () => {
    const call = await added(inboundWhatsApp(fixture));
    call.customer.interrupt('consent', true);
    expect(await endOf(call)).toBe('unreachable');
  });

  test('as unreachable when Meta’s answer names a side that answers no ICE check', async () => {
    const withoutPassword = (sdp: string) => sdp.replace(/a=ice-pwd:\S+/, `a=ice-pwd:${'x'.repeat(24)}`);
    expect(await endOf(await added(outboundWhatsApp(fixture, withoutPassword)))).toBe('unreachable');
  });

  test('with media-error when the DTLS certificate is not the announced one', async () => {
    const call = await added(
      inboundWhatsApp(fixture, (sdp) => sdp.replace(/a=fingerprint:.*/, OTHER_FINGERPRINT)),
    );
    await call.open();
    expect(await endOf(call)).toBe('media-error');
    expect(fixture.realtime.count('leg:connected', call.legId)).toBe(0);
  });

  test('as unreachable when Meta never answers our offer', async () => {
    const callId = fixture.callId();
    const legId = `whatsapp-${callId}`;
    await fixture.realtime.command('whatsapp:offer', { callId, legId });
    expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('unreachable');
  });

  test('as unreachable when an accepted call loses its consent', async () => {
    const call = await accept(fixture, await added(outboundWhatsApp(fixture)));
    call.customer.interrupt('consent', true);
    expect(await endOf(call)).toBe('unreachable');
  });

  test('with rtp-timeout when no audio arrives', async () => {
    const call = await accept(fixture, await added(inboundWhatsApp(fixture)));
    call.customer.interrupt('media', true);
    expect(await endOf(call)).toBe('rtp-timeout');
  });

  test('with remote-bye when Meta has closed DTLS and no webhook has ended the call', async () => {
    const { legId, callId, peer } = await mediasoupCustomer();
    await fixture.realtime.command('whatsapp:open', { callId, legId });
    await fixture.realtime.fact('leg:connected', legId);
    peer.transport.close();
    expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('remote-bye');
  });

  test('with media-error when Meta does not take part in DTLS', async () => {
    const silent = await IceLiteAgent.open('127.0.0.1', 0, () => undefined);
    const sdpOffer = (await metaOffer())
      .replace(/(a=candidate:1 1 udp \d+ 127\.0\.0\.1) \d+/, `$1 ${silent.port}`)
      .replace(/a=ice-ufrag:\S+/, `a=ice-ufrag:${silent.ufrag}`)
      .replace(/a=ice-pwd:\S+/, `a=ice-pwd:${silent.password}`);
    const callId = fixture.callId();
    const legId = `whatsapp-${callId}`;
    await fixture.realtime.command('whatsapp:answer', { callId, legId, sdpOffer });
    expect((await fixture.realtime.fact('leg:ended', legId)).end).toMatchObject({
      cause: 'media-error',
      message: 'DTLS did not connect in time',
    });
    silent.close();
  });

  test('with media-error when its worker dies', async () => {
    const call = await accept(fixture, await added(outboundWhatsApp(fixture)));
    const pid = fixture.media.calls.find(call.callId)?.media.worker.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    expect(await endOf(call)).toBe('media-error');
    await eventually('the node has a worker again', async () => {
      const { status } = await fetch(`http://127.0.0.1:${fixture.media.port}/readyz`);
      return status === 200;
    });
  });

  test('once, whatever ends it at the same time', async () => {
    const call = await accept(fixture, await added(inboundWhatsApp(fixture)));
    const { callId, legId } = call;
    call.customer.interrupt('consent', true);
    await Promise.all([
      fixture.realtime.command('leg:hangup', { callId, legId }),
      fixture.realtime.command('leg:hangup', { callId, legId }),
      fixture.realtime.command('call:release', { callId }),
      call.customer.close(),
    ]);
    expect(await endOf(call)).toBe('local');
    await portsInUse();
    expect(fixture.realtime.count('leg:ended', legId)).toBe(1);
  });

  test('before it is connected', async () => {
    const call = await added(outboundWhatsApp(fixture));
    await fixture.realtime.command('leg:hangup', { callId: call.callId, legId: call.legId });
    expect(await endOf(call)).toBe('local');
  });
});

describe('a command is rejected', () => {
  const refused = (code: string) => ({ ok: false, error: { code } });

  test.each(['whatsapp:open', 'leg:dtmf', 'whatsapp:remote'] as const)(
    '%s of an unknown leg',
    async (command) => {
      const input = { callId: fixture.callId(), legId: 'nobody', digits: '1', sdpAnswer: 'v=0' };
      expect(await fixture.realtime.send(command, input)).toMatchObject(refused('unknown_leg'));
    },
  );

  test('for a leg of another kind', async () => {
    const callId = fixture.callId();
    const agent = await fixture.agent(callId, `agent-${callId}`);
    const input = { callId, legId: `agent-${callId}`, sdpOffer: 'v=0' };
    for (const command of ['whatsapp:offer', 'whatsapp:answer', 'whatsapp:open'] as const)
      expect(await fixture.realtime.send(command, input)).toMatchObject(refused('invalid_state'));
    await fixture.realtime.command('call:release', { callId });
    agent.close();
  });

  test('that answers a leg which has answered itself', async () => {
    const { callId, legId } = await added(inboundWhatsApp(fixture));
    const input = { callId, legId, sdpAnswer: await metaOffer() };
    expect(await fixture.realtime.send('whatsapp:remote', input)).toMatchObject(refused('invalid_state'));
  });

  test('with bad_sdp for an answer that cannot be used, which ends the leg', async () => {
    const callId = fixture.callId();
    const legId = `whatsapp-${callId}`;
    await fixture.realtime.command('whatsapp:offer', { callId, legId });
    const sdpAnswer = (await metaOffer())
      .replaceAll('111', '96')
      .replace('a=setup:actpass', 'a=setup:active');
    expect(await fixture.realtime.send('whatsapp:remote', { callId, legId, sdpAnswer })).toMatchObject(
      refused('bad_sdp'),
    );
    expect((await fixture.realtime.fact('leg:ended', legId)).end.cause).toBe('media-error');
  });

  test.each<[string, (sdp: string) => string]>([
    ['is empty', () => ''],
    ['is too long', (sdp) => sdp + 'a=x:y\r\n'.repeat(10_000)],
    ['has no Opus', (sdp) => sdp.replace('opus/48000/2', 'PCMU/8000')],
    ['has a static payload type', (sdp) => sdp.replaceAll('111', '8')],
    ['has one payload type for two codecs', (sdp) => sdp.replaceAll('126', '111')],
    ['has a payload type that is RTCP', (sdp) => sdp.replaceAll('111', '72')],
    ['has no candidate', (sdp) => sdp.replace(/a=candidate:.*\r\n/, '')],
    [
      'has an address that is a number',
      (sdp) => sdp.replace(/(a=candidate:1 1 udp \d+ )\S+/, (_, before: string) => `${before}0.1`),
    ],
    ['has no fingerprint', (sdp) => sdp.replace(/a=fingerprint:.*\r\n/, '')],
    [
      'has only an address of another family',
      (sdp) => sdp.replace(/(a=candidate:1 1 udp \d+ )\S+/, '$12001:db8::1'),
    ],
  ])('with bad_sdp when Meta’s offer %s, and nothing remains', async (_what, change) => {
    const callId = fixture.callId();
    const sdpOffer = change(await metaOffer());
    expect(await fixture.realtime.send('whatsapp:answer', { callId, legId: 'x', sdpOffer })).toMatchObject(
      refused('bad_sdp'),
    );
    expect(fixture.media.calls.all).toEqual([]);
  });
});

test('any change of an offer is answered or refused, and never an error of ours', async () => {
  const offer = await metaOffer();
  const position = fc.nat({ max: offer.length });
  const changed = fc
    .array(
      fc.record({
        position,
        length: fc.nat({ max: 12 }),
        text: fc.string({ maxLength: 12, unit: 'binary' }),
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((changes) =>
      changes.reduce(
        (sdp, { position: at, length, text }) => sdp.slice(0, at) + text + sdp.slice(at + length),
        offer,
      ),
    );
  await fc.assert(
    fc.asyncProperty(changed, async (sdpOffer) => {
      const callId = fixture.callId();
      const reply = await fixture.realtime.send('whatsapp:answer', {
        callId,
        legId: `any-${callId}`,
        sdpOffer,
      });
      expect(reply.ok || reply.error.code).toBe(reply.ok || 'bad_sdp');
      await fixture.realtime.command('call:release', { callId });
    }),
    { numRuns: 60 },
  );
});

test('packets of anybody else and of any content do not reach the call', async () => {
  const call = await accept(fixture, await added(inboundWhatsApp(fixture)));
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const before = await call.leg()?.activityCount();
  for (const first of [0, 22, 128, 144, 200, 255])
    for (const length of [1, 11, 12, 200])
      socket.send(Buffer.alloc(length, first), call.leg()?.port ?? 0, '127.0.0.1');
  await eventually('the customer’s audio goes on', async () => {
    return ((await call.leg()?.activityCount()) ?? 0) > (before ?? 0) + 20;
  });
  socket.close();
  expect(fixture.realtime.count('leg:ended', call.legId)).toBe(0);
  expect((await call.leg()?.stats())?.lostPackets).toBe(0);
});

test('every socket is closed with its leg', async () => {
  const udp = () => process.getActiveResourcesInfo().filter((kind) => kind.includes('UDP')).length;
  const before = udp();
  const call = await accept(fixture, await added(inboundWhatsApp(fixture)));
  await pathConnected(call);
  await calls.pop()?.close();
  await eventually('all are closed', () => udp() <= before);
});
