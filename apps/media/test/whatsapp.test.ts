/** A WhatsApp leg is a customer's leg to everything behind it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { sine, tonePower } from '@clarion/test-phone/audio/goertzel';
import { toSamples } from '@clarion/test-phone/rtp/port';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { eventually } from './support/fake-realtime.ts';
import { MediaFixture } from './support/media-fixture.ts';
import {
  accept,
  CUSTOMER_HZ,
  customerHears,
  customerHearsTone,
  inboundWhatsApp,
  outboundWhatsApp,
  pathConnected,
  type WhatsAppCall,
} from './support/whatsapp-calls.ts';

const PROMPT = 'tenants/1/audio/prompt/8k.pcm';
const PROMPT_HZ = 700;
const AGENT_HZ = 1_000;
/** Of packets: half a second of audio. */
const SOME = 25;
/** Of a tone among others; the parties send about 3e7. */
const MIN_TONE_POWER = 1e6;

let fixture: MediaFixture;
const calls: WhatsAppCall[] = [];
const agents: WebRtcLeg[] = [];
beforeAll(async () => {
  fixture = await MediaFixture.start();
  await fixture.putAudio(PROMPT, sine(PROMPT_HZ, 8_000, 3 * 8_000));
});
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.close();
  await Promise.all(calls.splice(0).map((call) => call.close()));
});
afterAll(() => fixture.close());

const DIRECTIONS = { 'a customer who calls': inboundWhatsApp, 'a customer who is called': outboundWhatsApp };
type Direction = keyof typeof DIRECTIONS;
const BOTH = Object.keys(DIRECTIONS) as Direction[];

async function start(direction: Direction): Promise<WhatsAppCall> {
  const call = await DIRECTIONS[direction](fixture);
  calls.push(call);
  await pathConnected(call);
  return call;
}
const accepted = async (direction: Direction) => accept(fixture, await start(direction));

async function joined(callId: number, legId = 'agent'): Promise<WebRtcLeg> {
  const agent = await fixture.agent(callId, legId);
  agents.push(agent);
  return agent;
}
const hear = (...legIds: string[]) => legIds.map((legId) => ({ kind: 'leg', legId }));
/** In the last 400 ms. */
function hears(agent: WebRtcLeg, hz: number): boolean {
  const samples = toSamples(agent.heard.slice(-20), 'PCMU');
  return samples.length >= 3_200 && tonePower(samples, 8_000, hz) > MIN_TONE_POWER;
}
const received = ({ customer }: WhatsAppCall): number => customer.counters().packetsReceived;

describe.each(BOTH)('%s', (direction) => {
  test('and an agent hear each other, and the statistics count it', async () => {
    const call = await accepted(direction);
    const { callId, legId } = call;
    const agent = await joined(callId);
    agent.sendTone(AGENT_HZ);
    await fixture.route(callId, { [legId]: hear('agent'), agent: hear(legId) });
    await eventually('the agent hears the customer', () => hears(agent, CUSTOMER_HZ));
    await customerHearsTone(call, AGENT_HZ);
    await eventually('enough is received', () => call.customer.counters().packetsSent > 3 * SOME);
    const { codec } = await fixture.realtime.fact('leg:connected', legId);
    expect(codec).toBe('OPUS');
    await fixture.realtime.command('leg:hangup', { callId, legId });
    const { kind, end, stats } = await fixture.realtime.fact('leg:ended', legId);
    expect(kind).toBe(direction === 'a customer who calls' ? 'carrier-in' : 'carrier-out');
    expect(end.cause).toBe('local');
    expect(stats).toMatchObject({ codec: 'OPUS', lostPackets: 0, undecodable: 0, droppedSource: 0 });
    expect(stats?.receivedPackets).toBeGreaterThan(SOME);
    expect(stats?.sentPackets).toBeGreaterThan(SOME);
  });

  test('gets nothing before the call is accepted, whatever the route says, and hears it afterwards', async () => {
    const call = await start(direction);
    const { callId, legId } = call;
    const agent = await joined(callId);
    agent.sendTone(AGENT_HZ);
    await fixture.route(callId, {
      [legId]: [{ kind: 'tone', tone: 'hold' }, ...hear('agent')],
      agent: [{ kind: 'tone', tone: 'ringback' }],
    });
    await eventually('the agent hears the ringback', () => agent.heard.length > SOME);
    expect(received(call)).toBe(0);
    expect(fixture.realtime.count('leg:connected', legId)).toBe(0);
    expect(fixture.media.calls.leg(callId, legId)?.state).toBe('NEW');
    await fixture.route(callId, { [legId]: hear('agent') });
    await accept(fixture, call);
    await customerHearsTone(call, AGENT_HZ);
    expect(call.customer.counters().earlyPackets).toBe(0);
  });

  test('sends and gets DTMF digits', async () => {
    const call = await accepted(direction);
    const { callId, legId, customer } = call;
    await eventually('audio is sent', () => customer.counters().packetsSent > 0);
    await Promise.all([
      customer.sendDigits('12#'),
      fixture.realtime.command('leg:dtmf', { callId, legId, digits: '9*0' }),
    ]);
    await eventually('the customer gets them', () => customer.counters().digits === '9*0');
    await eventually('they are reported', () => fixture.realtime.count('leg:dtmf', legId) === 3);
    expect(
      fixture.realtime.facts.flatMap(({ fact, payload }) =>
        fact === 'leg:dtmf' && payload.legId === legId && 'digit' in payload ? [payload.digit] : [],
      ),
    ).toEqual(['1', '2', '#']);
  });

  test('digits that are requested before the call is accepted are sent afterwards', async () => {
    const call = await start(direction);
    const { callId, legId, customer } = call;
    await fixture.realtime.command('leg:dtmf', { callId, legId, digits: '73' });
    await accept(fixture, call);
    await eventually('the customer gets them', () => customer.counters().digits === '73');
    expect(customer.counters().earlyPackets).toBe(0);
  });

  test('a repeated command gives the same description, and a second open does nothing', async () => {
    const call = await start(direction);
    const { callId, legId } = call;
    const { realtime } = fixture;
    const repeat = async (): Promise<string> => {
      if (direction === 'a customer who is called')
        return (await realtime.command('whatsapp:offer', { callId, legId })).sdpOffer;
      return (await realtime.command('whatsapp:answer', { callId, legId, sdpOffer: 'v=0' })).sdpAnswer;
    };
    expect(await repeat()).toBe(call.leg()?.description);
    await accept(fixture, call);
    await call.open();
    if (direction === 'a customer who is called')
      await realtime.command('whatsapp:remote', { callId, legId, sdpAnswer: 'v=0' });
    expect(realtime.count('leg:connected', legId)).toBe(1);
    expect(fixture.media.calls.legCount).toBe(1);
  });
});

describe('a customer', () => {
  test('gets silence as packets while there is nothing to hear, so that Meta keeps the call', async () => {
    const call = await accepted('a customer who calls');
    await eventually('packets arrive', () => received(call) > 2 * SOME);
    expect(await call.customer.heard()).toMatchObject({ hz: null });
  });

  test('hears a prompt to its end, and is on hold with the hold tone', async () => {
    const call = await accepted('a customer who calls');
    const { callId, legId } = call;
    const clips = [{ file: PROMPT }];
    await fixture.route(callId, { [legId]: [{ kind: 'audio', clips, loop: false, playId: 'p1' }] });
    await customerHearsTone(call, PROMPT_HZ);
    expect(await fixture.realtime.fact('leg:played', legId)).toMatchObject({ playId: 'p1', played: true });
    await fixture.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
    await customerHears(call, 'the hold tone', ({ hz }) => hz !== null && Math.abs(hz - PROMPT_HZ) > 50);
  });

  test('is in a room with two agents, where everybody hears all others', async () => {
    const call = await accepted('a customer who calls');
    const { callId, legId } = call;
    const [one, two] = [await joined(callId, 'one'), await joined(callId, 'two')];
    two.sendTone(AGENT_HZ);
    await fixture.route(callId, {
      [legId]: hear('one', 'two'),
      one: hear(legId, 'two'),
      two: hear(legId, 'one'),
    });
    await eventually('the second hears the customer', () => hears(two, CUSTOMER_HZ));
    await eventually('the first hears both', () => hears(one, CUSTOMER_HZ) && hears(one, AGENT_HZ));
    await customerHearsTone(call, AGENT_HZ);
  });
});

test('a customer whom we called is connected by the first audio, if the webhook that says so is late', async () => {
  const call = await start('a customer who is called');
  call.speak();
  await fixture.realtime.fact('leg:connected', call.legId);
  await call.open();
  expect(fixture.realtime.count('leg:connected', call.legId)).toBe(1);
});

test('a customer who calls is not connected by audio', async () => {
  const call = await start('a customer who calls');
  call.speak();
  await eventually('audio arrives', async () => ((await call.leg()?.activityCount()) ?? 0) > 2 * SOME);
  expect(fixture.realtime.count('leg:connected', call.legId)).toBe(0);
  expect(received(call)).toBe(0);
});

test('an open before Meta’s answer connects the leg once the media path is', async () => {
  const { realtime } = fixture;
  const call = await outboundWhatsApp(fixture, (sdpAnswer) => {
    const { callId, legId } = fixture.media.calls.legs[0] ?? {};
    if (callId && legId) void realtime.command('whatsapp:open', { callId, legId });
    return sdpAnswer;
  });
  calls.push(call);
  await realtime.fact('leg:connected', call.legId);
  expect(call.customer.counters().packetsSent).toBe(0);
});

describe('Meta’s offer', () => {
  const HEARD: [what: string, change: (sdp: string) => string][] = [
    ['names no SSRC', (sdp) => sdp.replace(/a=ssrc:.*\r\n/, '')],
    ['names another SSRC than the customer’s', (sdp) => sdp.replace(/a=ssrc:\d+/, 'a=ssrc:7')],
    [
      'names no telephone events',
      (sdp) => sdp.replace(/a=rtpmap:126 .*\r\n/, '').replace(' 111 126', ' 111'),
    ],
  ];
  test.each(HEARD)('%s: the customer is heard all the same', async (_what, change) => {
    // The number wraps before mediasoup is prepared for an SSRC that the offer did not name.
    const call = await inboundWhatsApp(fixture, change, { firstSequence: 0xfffd });
    calls.push(call);
    const { callId, legId, customer } = call;
    await accept(fixture, call);
    const agent = await joined(callId);
    await fixture.route(callId, { agent: hear(legId) });
    await eventually('the agent hears the customer', () => hears(agent, CUSTOMER_HZ));
    await customer.sendDigits('5');
    expect(await fixture.realtime.fact('leg:dtmf', legId)).toMatchObject({ digit: '5' });
  });

  test('without telephone events gets no digits', async () => {
    const call = await inboundWhatsApp(fixture, HEARD[2]?.[1]);
    calls.push(call);
    const { callId, legId } = call;
    await accept(fixture, call);
    const reply = await fixture.realtime.send('leg:dtmf', { callId, legId, digits: '1' });
    expect(reply).toMatchObject({ ok: false, error: { code: 'invalid_state' } });
  });
});

test('the recording has the customer on the left and the agent on the right', async () => {
  const call = await accepted('a customer who calls');
  const { callId, legId } = call;
  const agent = await joined(callId);
  agent.sendTone(AGENT_HZ);
  const route = { [legId]: hear('agent'), agent: hear(legId) };
  const record = { left: [legId], right: ['agent'], paused: false, storageKey: 'tenants/1/recordings/1.ogg' };
  await fixture.route(callId, route, record);
  await customerHearsTone(call, AGENT_HZ);
  await eventually('a second has passed', () => call.customer.counters().packetsSent > 4 * SOME);
  await fixture.realtime.command('call:release', { callId });
  await fixture.realtime.fact('recording:finished', legId);
  const { left, right } = await decoded(await fixture.stored(record.storageKey));
  const differenceDb = (channel: Float32Array, hz: number, other: number) =>
    10 * Math.log10(tonePower(channel, 48_000, hz) / tonePower(channel, 48_000, other));
  expect(differenceDb(left, CUSTOMER_HZ, AGENT_HZ)).toBeGreaterThan(20);
  expect(differenceDb(right, AGENT_HZ, CUSTOMER_HZ)).toBeGreaterThan(20);
});

/** The last second of a stereo file. */
async function decoded(file: Buffer): Promise<{ left: Float32Array; right: Float32Array }> {
  const decoder = new OggOpusDecoder();
  await decoder.ready;
  const { channelData, errors } = await decoder.decodeFile(file);
  decoder.free();
  expect(errors).toEqual([]);
  const [left, right] = channelData.map((channel) => channel.subarray(-48_000));
  if (!left || !right) throw new Error('the file is not stereo');
  return { left, right };
}
