/** What the two ends notice of a leg's moves between our endpoint and mediasoup. */
import { createSocket } from 'node:dgram';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encode } from '@clarion/test-phone/rtp/g711';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { RtpPort, streamQuality, type Heard } from '@clarion/test-phone/rtp/port';
import { sequenceDistance, timestampDistance } from '../src/rtp/packet.ts';
import { Bench } from './bench.ts';
import { bridgedCall, ENDPOINTS, hears, type Bridged } from './calls.ts';
import { eventually } from './fake-realtime.ts';

let bench: Bench;
let bridged: Bridged;

beforeAll(async () => {
  bench = await Bench.start();
});
afterEach(() => bridged.close());
afterAll(() => bench.close());

/** The last packet that was sent under each SSRC and the first of the next, as the receiver got them. */
function streams(packets: readonly Heard[]): Heard[][] {
  const runs: Heard[][] = [];
  for (const packet of packets) {
    const run = runs.at(-1);
    if (run?.at(-1)?.ssrc === packet.ssrc) run.push(packet);
    else runs.push([packet]);
  }
  return runs;
}

async function moveToHeldAndBack(): Promise<void> {
  const { leg } = bridged;
  await bridged.hold();
  await eventually('the leg is held', () => leg.handedTo === null);
  await bridged.bridge();
  await eventually('the leg is handed over', () => leg.handedTo !== null);
}

test('ten moves to our endpoint and back lose at most one packet each, in both directions', async () => {
  bridged = await bridgedCall(bench);
  const { call, agent, leg } = bridged;
  agent.heard = [];
  const sentBefore = call.audio.sent;
  const ownBefore = Number((await leg.stats())['receivedPackets']);
  for (let move = 0; move < 10; move += 1) await moveToHeldAndBack();
  await eventually('the tone is back', () => hears(agent.heard, 'PCMA', 440));
  const arrived = Number((await leg.stats())['receivedPackets']) - ownBefore;
  // Twenty moves; one packet may be under way when we count.
  expect(call.audio.sent - sentBefore - arrived).toBeLessThanOrEqual(20 + 1);
  expect(streamQuality(call.audio.heard).lost).toBeLessThanOrEqual(20);
}, 20_000);

test('when our endpoint takes over, the carrier sees the same stream go on: same SSRC, next number, time in step', async () => {
  bridged = await bridgedCall(bench);
  const { call, leg } = bridged;
  for (let round = 0; round < 3; round += 1) {
    const handedFrom = call.audio.heard.length;
    await eventually('mediasoup sends', () => call.audio.heard.length > handedFrom + 25);
    await bridged.hold();
    await eventually('the leg is held', () => leg.handedTo === null);
    const heldFrom = call.audio.heard.length;
    await eventually('the hold tone is sent', () => call.audio.heard.length > heldFrom + 25);
    const run = streams(call.audio.heard).at(-1) ?? [];
    expect(run.length).toBeGreaterThan(50);
    for (let index = 1; index < run.length; index += 1) {
      const [before, packet] = [run[index - 1], run[index]];
      if (!before || !packet) continue;
      expect(sequenceDistance(packet.sequence, before.sequence)).toBe(1);
      const step = timestampDistance(packet.timestamp, before.timestamp);
      expect(step).toBeGreaterThanOrEqual(160);
      expect(step).toBeLessThanOrEqual(160 * 5);
    }
    await bridged.bridge();
    await eventually('the leg is handed over', () => leg.handedTo !== null);
  }
}, 20_000);

test('a leg that may not be handed over keeps one SSRC from the first packet to the last', async () => {
  bridged = await bridgedCall(bench, { ownEndpoint: true });
  const { call } = bridged;
  await bridged.hold();
  await eventually('the hold tone is heard', () => hears(call.audio.heard, 'PCMA', 440, 200));
  await bridged.bridge();
  await eventually('the agent is heard', () => hears(call.audio.heard, 'PCMA', 1_000));
  expect(streams(call.audio.heard)).toHaveLength(1);
  expect(streamQuality(call.audio.heard)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
});

describe.each(ENDPOINTS)('a leg that is %s', (_name, ownEndpoint) => {
  test('follows a carrier that changes its SSRC, three times', async () => {
    bridged = await bridgedCall(bench, { ownEndpoint });
    const { call, agent, leg } = bridged;
    for (const hz of [500, 700, 900]) {
      call.audio.changeSsrc();
      call.audio.sendTone(hz);
      await eventually(`${hz} Hz is heard`, () => hears(agent.heard, 'PCMA', hz, 200), 2_000);
    }
    expect(Number((await leg.stats())['ssrcChanges'])).toBe(3);
    expect(leg.handedTo === null).toBe(ownEndpoint);
  });

  test('does not hear another source, nor payload types that were not negotiated', async () => {
    bridged = await bridgedCall(bench, { ownEndpoint, sourceCidrs: ['127.0.0.0/8'] });
    const { call, agent, leg } = bridged;
    const stranger = await RtpPort.open({ law: 'PCMA' });
    stranger.ssrc = call.audio.ssrc;
    stranger.remote = { address: '127.0.0.1', port: leg.port };
    stranger.sendTone(2_000);
    const foreign = encode('PCMA', sine(2_500, 8_000, 160));
    agent.heard = [];
    for (let packet = 0; packet < 20; packet += 1) call.audio.sendPacket(foreign, 9);
    await eventually('half a second has passed', () => agent.heard.length >= 25 && stranger.sent >= 25);
    expect(hears(agent.heard, 'PCMA', 440)).toBe(true);
    expect(agent.heard.every((packet) => packet.payloadType === 8)).toBe(true);
    stranger.close();
  });

  test('tells the keys the far end presses, each once, and sends ours', async () => {
    bridged = await bridgedCall(bench, { ownEndpoint });
    const { call, callId, carrierLegId } = bridged;
    for (const [index, event] of [1, 11].entries()) {
      const timestamp = 8_000 + index * 1_600;
      for (let packet = 0; packet < 5; packet += 1) sendEvent(call.audio, event, timestamp, packet >= 2);
    }
    const digits = () =>
      bench.realtime.facts.flatMap((one) =>
        one.fact === 'leg:dtmf' && one.payload.legId === carrierLegId && 'digit' in one.payload
          ? [one.payload.digit]
          : [],
      );
    await eventually('both keys are told', () => digits().length >= 2);
    expect(digits()).toEqual(['1', '#']);
    const info = await call.sendInfo('Signal=5\r\nDuration=160\r\n');
    expect(info.status).toBe(200);
    await eventually('the key in INFO is told', () => digits().at(-1) === '5');

    await bench.realtime.command('leg:dtmf', { callId, legId: carrierLegId, digits: '42' });
    const events = () => call.audio.heard.filter((packet) => packet.payloadType === 101);
    await eventually('two keys have been sent', () => events().filter((packet) => isEnd(packet)).length >= 6);
    const keys = [...new Set(events().map((packet) => `${packet.timestamp} ${packet.payload[0]}`))];
    expect(keys.map((key) => key.split(' ')[1])).toEqual(['4', '2']);
    await eventually('the agent is heard again', () => hears(call.audio.heard, 'PCMA', 1_000), 6_000);
  });
});

const isEnd = (packet: Heard): boolean => ((packet.payload[1] ?? 0) & 0x80) !== 0;

function sendEvent(audio: RtpPort, event: number, timestamp: number, end: boolean): void {
  const own = audio.timestamp;
  audio.timestamp = timestamp;
  audio.sendPacket(Buffer.from([event, end ? 0x8a : 0x0a, 0, 160]), 101);
  audio.timestamp = own;
}

test('the port of a leg answers nobody after the call', async () => {
  bridged = await bridgedCall(bench);
  const { port } = bridged.leg;
  await bridged.close();
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind({ port, address: '127.0.0.1', exclusive: true }, resolve));
  socket.close();
  bridged.close = () => Promise.resolve();
});

test('of several calls on one worker, the one whose SSRC changed is found, and the others are left alone', async () => {
  const others = [await bridgedCall(bench), await bridgedCall(bench)];
  bridged = await bridgedCall(bench);
  bridged.call.audio.changeSsrc();
  bridged.call.audio.sendTone(777);
  await eventually('the new tone is heard', () => hears(bridged.agent.heard, 'PCMA', 777, 200), 2_000);
  expect(Number((await bridged.leg.stats())['ssrcChanges'])).toBe(1);
  for (const other of others) {
    expect(Number((await other.leg.stats())['ssrcChanges'])).toBe(0);
    expect(hears(other.agent.heard, 'PCMA', 440)).toBe(true);
    await other.close();
  }
});
