/** What the two parties notice when a leg moves between the local endpoint and mediasoup. */
import { createSocket } from 'node:dgram';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encode } from '@clarion/test-phone/rtp/g711';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { RtpPort, streamQuality, type Heard } from '@clarion/test-phone/rtp/port';
import { sequenceDistance, timestampDistance } from '../src/rtp/packet.ts';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, ENDPOINTS, containsTone, type Bridged } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';

let fixture: MediaFixture;
let bridged: Bridged;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(() => bridged.close());
afterAll(() => fixture.close());

/** The received packets, grouped by consecutive packets with the same SSRC. */
function streams(packets: readonly Heard[]): Heard[][] {
  const runs: Heard[][] = [];
  for (const packet of packets) {
    const run = runs.at(-1);
    if (run?.at(-1)?.ssrc === packet.ssrc) run.push(packet);
    else runs.push([packet]);
  }
  return runs;
}

async function takeBackAndHandOver(): Promise<void> {
  const { leg } = bridged;
  await bridged.hold();
  await eventually('the leg is on the local endpoint', () => leg.handedOverTo === null);
  await bridged.bridge();
  await eventually('the leg is handed over', () => leg.handedOverTo !== null);
}

test('ten hand-overs and back lose at most one packet each, in both directions', async () => {
  bridged = await bridgedCall(fixture);
  const { call, agent, leg } = bridged;
  agent.heard = [];
  const sentBefore = call.audio.sent;
  const ownBefore = Number((await leg.stats())['receivedPackets']);
  for (let move = 0; move < 10; move += 1) await takeBackAndHandOver();
  await eventually('the tone is heard again', () => containsTone(agent.heard, 'PCMA', 440));
  const arrived = Number((await leg.stats())['receivedPackets']) - ownBefore;
  // Twenty moves; one packet may be in flight when we count.
  expect(call.audio.sent - sentBefore - arrived).toBeLessThanOrEqual(20 + 1);
  expect(streamQuality(call.audio.heard).lost).toBeLessThanOrEqual(20);
}, 20_000);

test('when the local endpoint takes over, the carrier sees a continuous stream: same SSRC, next sequence number, timestamps in step', async () => {
  bridged = await bridgedCall(fixture);
  const { call, leg } = bridged;
  for (let round = 0; round < 3; round += 1) {
    const handedFrom = call.audio.heard.length;
    await eventually('mediasoup sends', () => call.audio.heard.length > handedFrom + 25);
    await bridged.hold();
    await eventually('the leg is on the local endpoint', () => leg.handedOverTo === null);
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
      // After a pause of the host, the timestamp continues with the time that has passed.
      expect(step).toBeLessThanOrEqual(Math.max(160 * 5, (packet.at - before.at + 100) * 8));
    }
    await bridged.bridge();
    await eventually('the leg is handed over', () => leg.handedOverTo !== null);
  }
}, 20_000);

test('a leg that may not be handed over keeps one SSRC from the first packet to the last', async () => {
  bridged = await bridgedCall(fixture, { localEndpointOnly: true });
  const { call } = bridged;
  await bridged.hold();
  await eventually('the hold tone is heard', () => containsTone(call.audio.heard, 'PCMA', 440, 200));
  await bridged.bridge();
  await eventually('the agent is heard', () => containsTone(call.audio.heard, 'PCMA', 1_000));
  expect(streams(call.audio.heard)).toHaveLength(1);
  expect(streamQuality(call.audio.heard)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
});

describe.each(ENDPOINTS)('a leg that is %s', (_name, localEndpointOnly) => {
  test('follows a carrier that changes its SSRC three times', async () => {
    bridged = await bridgedCall(fixture, { localEndpointOnly });
    const { call, agent, leg } = bridged;
    for (const hz of [500, 700, 900]) {
      call.audio.changeSsrc();
      call.audio.sendTone(hz);
      await eventually(`${hz} Hz is heard`, () => containsTone(agent.heard, 'PCMA', hz, 200), 2_000);
    }
    expect(Number((await leg.stats())['ssrcChanges'])).toBe(3);
    expect(leg.handedOverTo === null).toBe(localEndpointOnly);
  });

  test('ignores other sources and payload types that were not negotiated', async () => {
    bridged = await bridgedCall(fixture, { localEndpointOnly, sourceCidrs: ['127.0.0.0/8'] });
    const { call, agent, leg } = bridged;
    const intruder = await RtpPort.open({ law: 'PCMA' });
    intruder.ssrc = call.audio.ssrc;
    intruder.remote = { address: '127.0.0.1', port: leg.port };
    intruder.sendTone(2_000);
    const foreign = encode('PCMA', sine(2_500, 8_000, 160));
    agent.heard = [];
    for (let packet = 0; packet < 20; packet += 1) call.audio.sendPacket(foreign, 9);
    await eventually('half a second has passed', () => agent.heard.length >= 25 && intruder.sent >= 25);
    expect(containsTone(agent.heard, 'PCMA', 440)).toBe(true);
    expect(agent.heard.every((packet) => packet.payloadType === 8)).toBe(true);
    intruder.close();
  });

  test('reports each digit of the remote party once, and sends ours', async () => {
    bridged = await bridgedCall(fixture, { localEndpointOnly });
    const { call, callId, carrierLegId } = bridged;
    for (const [index, event] of [1, 11].entries()) {
      const timestamp = 8_000 + index * 1_600;
      for (let packet = 0; packet < 5; packet += 1) sendEvent(call.audio, event, timestamp, packet >= 2);
    }
    const digits = () =>
      fixture.realtime.facts.flatMap((one) =>
        one.fact === 'leg:dtmf' && one.payload.legId === carrierLegId && 'digit' in one.payload
          ? [one.payload.digit]
          : [],
      );
    await eventually('both digits are reported', () => digits().length >= 2);
    expect(digits()).toEqual(['1', '#']);
    const info = await call.sendInfo('Signal=5\r\nDuration=160\r\n');
    expect(info.status).toBe(200);
    await eventually('the digit in INFO is reported', () => digits().at(-1) === '5');

    await fixture.realtime.command('leg:dtmf', { callId, legId: carrierLegId, digits: '42' });
    const events = () => call.audio.heard.filter((packet) => packet.payloadType === 101);
    await eventually(
      'two digits have been sent',
      () => events().filter((packet) => isEnd(packet)).length >= 6,
    );
    const keys = [...new Set(events().map((packet) => `${packet.timestamp} ${packet.payload[0]}`))];
    expect(keys.map((key) => key.split(' ')[1])).toEqual(['4', '2']);
    await eventually('the agent is heard again', () => containsTone(call.audio.heard, 'PCMA', 1_000), 6_000);
  });
});

const isEnd = (packet: Heard): boolean => ((packet.payload[1] ?? 0) & 0x80) !== 0;

function sendEvent(audio: RtpPort, event: number, timestamp: number, end: boolean): void {
  const own = audio.timestamp;
  audio.timestamp = timestamp;
  audio.sendPacket(Buffer.from([event, end ? 0x8a : 0x0a, 0, 160]), 101);
  audio.timestamp = own;
}

test('the port of a leg is free after the call', async () => {
  bridged = await bridgedCall(fixture);
  const { port } = bridged.leg;
  await bridged.close();
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind({ port, address: '127.0.0.1', exclusive: true }, resolve));
  socket.close();
  bridged.close = () => Promise.resolve();
});

test('of several calls on one worker, only the one whose SSRC changed is affected', async () => {
  const others = [await bridgedCall(fixture), await bridgedCall(fixture)];
  bridged = await bridgedCall(fixture);
  bridged.call.audio.changeSsrc();
  bridged.call.audio.sendTone(777);
  await eventually('the new tone is heard', () => containsTone(bridged.agent.heard, 'PCMA', 777, 200), 2_000);
  expect(Number((await bridged.leg.stats())['ssrcChanges'])).toBe(1);
  for (const other of others) {
    expect(Number((await other.leg.stats())['ssrcChanges'])).toBe(0);
    expect(containsTone(other.agent.heard, 'PCMA', 440)).toBe(true);
    await other.close();
  }
});
