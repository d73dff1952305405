/** Calls in both directions with an independent implementation of TLS, SRTP and G.722, with audio measured at both ends. */
import { selfSigned } from '@clarion/sip-gateway/self-signed';
import { isSteady, measureSteadyTone, measureTone } from '@clarion/test-phone/audio/goertzel';
import { toSamples } from '@clarion/test-phone/rtp/port';
import { Baresip, hasBaresip, type BaresipOptions } from '@clarion/testkit/peers/baresip';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { acceptance, eventually } from './support/fake-realtime.ts';
import { MediaFixture } from './support/media-fixture.ts';

const HOUR_MS = 3_600_000;
const [CARRIER_HZ, AGENT_HZ] = [440, 1_000];
/** Of a sine with an amplitude of 8000, as both play it. */
const TONE_DB = -15.3;
/** Of two packets that a busy host delays. */
const MAX_GAP_MS = 40;
const certificate = () => selfSigned(['127.0.0.1'], new Date(), new Date(Date.now() + HOUR_MS));
const [ours, theirs] = [certificate(), certificate()];
let fixture: MediaFixture;
let baresip: Baresip | null = null;

beforeAll(async () => {
  fixture = await MediaFixture.start({}, [], {}, pino({ level: 'silent' }), {
    tls: { ...ours, ca: theirs.cert, port: 0 },
  });
});
afterEach(async () => {
  await baresip?.stop();
  baresip = null;
});
afterAll(() => fixture.close());

const CASES: [name: string, options: Omit<BaresipOptions, 'toneHz' | 'certificate'>][] = [
  ['UDP', { transport: 'udp', codec: 'PCMA/8000/1', srtp: false }],
  ['TCP', { transport: 'tcp', codec: 'PCMU/8000/1', srtp: false }],
  ['TLS with SRTP', { transport: 'tls', codec: 'PCMA/8000/1', srtp: true }],
  ['UDP with G.722', { transport: 'udp', codec: 'G722/16000/1', srtp: false }],
  ['TLS with SRTP and G.722', { transport: 'tls', codec: 'G722/16000/1', srtp: true }],
];

describe.skipIf(!hasBaresip).each(CASES)('baresip over %s', (_name, options) => {
  const { transport, codec, srtp } = options;
  const codecs = codec.startsWith('G722') ? (['G722', 'PCMA'] as const) : (['PCMA', 'PCMU'] as const);

  test.each(['from', 'to'] as const)('a call %s it is heard at both ends', async (direction) => {
    const phone = await Baresip.start({
      ...options,
      toneHz: CARRIER_HZ,
      certificate: { ...theirs, ca: ours.cert },
    });
    baresip = phone;
    const callId = fixture.callId();
    const agentId = `agent-${callId}`;
    const agent = await fixture.agent(callId, agentId);
    let legId = `carrier-${callId}`;
    const route = () =>
      fixture.route(callId, {
        [legId]: [{ kind: 'leg', legId: agentId }],
        [agentId]: [{ kind: 'leg', legId }],
      });
    if (direction === 'from') {
      const asked = fixture.realtime.invites.length;
      fixture.realtime.decide = () => acceptance(callId, { codecs: [...codecs], srtp });
      phone.dial('4930123', transport === 'tls' ? fixture.sips : fixture.sip);
      await eventually('the INVITE arrives', () => fixture.realtime.invites.length > asked);
      legId = fixture.realtime.invites.at(-1)?.legId ?? '';
      await eventually('the leg exists', () => fixture.media.calls.carrier(callId, legId) !== undefined);
      await route();
      await fixture.realtime.command('carrier:answer', { callId, legId });
    } else {
      await fixture.dial(callId, legId, phone.port, {
        called: 'carrier',
        trunk: { transport: transport.toUpperCase() as 'UDP' | 'TCP' | 'TLS', codecs: [...codecs], srtp },
      });
      await route();
    }
    await fixture.realtime.fact('leg:connected', legId);
    await phone.event('CALL_ESTABLISHED');
    agent.sendTone(AGENT_HZ);
    const recent = () => toSamples(agent.heard.slice(-25), agent.law).subarray(-3_200);
    await eventually('the agent hears the carrier', () => measureTone(recent(), 8_000, CARRIER_HZ).heard);
    expect(Math.abs(measureTone(recent(), 8_000, CARRIER_HZ).levelDb - TONE_DB)).toBeLessThan(1);
    agent.heard = [];
    await eventually('two seconds have passed', () => agent.heard.length > 100);

    const leg = fixture.media.calls.carrier(callId, legId);
    expect(leg?.codec).toBe(codec.split('/')[0]);
    expect(leg?.session?.keys === null).toBe(!srtp);
    const stats = await leg?.stats();
    expect(stats?.lostPackets).toBe(0);
    // baresip sends one packet to open the NAT before it has applied the keys.
    expect(stats?.droppedUnauthentic).toBeLessThanOrEqual(1);
    await fixture.realtime.command('call:release', { callId });
    await phone.event('CALL_CLOSED');
    const { samples, sampleRate } = await phone.heard();
    // In windows: it records packets as they come, without a jitter buffer.
    const lastSecond = samples.subarray(-sampleRate);
    expect(isSteady(measureSteadyTone(lastSecond, sampleRate, AGENT_HZ), MAX_GAP_MS)).toBe(true);
    expect(Math.abs(measureTone(lastSecond, sampleRate, AGENT_HZ).levelDb - TONE_DB)).toBeLessThan(1);
    agent.close();
  });
});
