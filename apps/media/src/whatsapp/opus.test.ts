/** Opus to G.711 and back, as a WhatsApp leg uses them. */
import fc from 'fast-check';
import { measureTone, sine } from '@clarion/test-phone/audio/goertzel';
import { Application, createDecoder, createEncoder } from 'libopus-wasm';
import { afterEach, describe, expect, test } from 'vitest';
import { decode, encode, FRAME_SAMPLES, LAW_PAYLOAD_TYPE } from '../rtp/g711.ts';
import { parseRtp, type RtpPacket } from '../rtp/packet.ts';
import { OpusInput } from './opus-input.ts';
import { OpusOutput } from './opus-output.ts';

const OPUS = 111;
const EVENTS = 126;
const HZ = 440;
const FRAME_TICKS = 960;
const FRAMES = 50;

const opened: { close: () => void }[] = [];
afterEach(() => opened.splice(0).forEach((part) => part.close()));

/** What Meta sends: Opus at 48 kHz with redundancy, 20 ms a packet. */
async function customerPackets(frames = FRAMES, change: Partial<RtpPacket> = {}): Promise<RtpPacket[]> {
  const encoder = await createEncoder({
    application: Application.Voip,
    sampleRate: 48_000,
    channels: 1,
    frameSize: FRAME_TICKS,
    bitrate: 20_000,
    fec: true,
    packetLossPercent: 20,
  });
  const pcm = sine(HZ, 48_000, frames * FRAME_TICKS);
  const packets = Array.from({ length: frames }, (_, index) => ({
    payloadType: OPUS,
    marker: index === 0,
    sequenceNumber: ((change.sequenceNumber ?? 0xfff0) + index) & 0xffff,
    timestamp: ((change.timestamp ?? 0xffff_f000) + index * FRAME_TICKS) >>> 0,
    ssrc: change.ssrc ?? 1,
    payload: Buffer.from(encoder.encode(pcm.subarray(index * FRAME_TICKS, (index + 1) * FRAME_TICKS))),
  }));
  encoder.free();
  return packets;
}

async function input(): Promise<{ opus: OpusInput; heard: RtpPacket[] }> {
  const heard: RtpPacket[] = [];
  const opus = await OpusInput.create('PCMU', 77, (packet) =>
    heard.push({ ...packet, payload: Buffer.from(packet.payload) }),
  );
  opened.push(opus);
  return { opus, heard };
}

const samplesOf = (packets: readonly RtpPacket[]): Int16Array =>
  decode('PCMU', Buffer.concat(packets.map(({ payload }) => payload)));
const stepsOf = (packets: readonly RtpPacket[]): [sequence: number, timestamp: number][] =>
  packets.slice(1).map(({ sequenceNumber, timestamp }, index) => {
    const before = packets[index]!;
    return [(sequenceNumber - before.sequenceNumber) & 0xffff, (timestamp - before.timestamp) >>> 0];
  });
const receiveAll = (opus: OpusInput, packets: readonly RtpPacket[], fromMs = 0) =>
  packets.forEach((packet, index) => opus.receive(packet, fromMs + index * 20));

describe('the customer’s Opus', () => {
  test('becomes G.711 of 20 ms with consecutive numbers, also where those of the customer wrap around', async () => {
    const { opus, heard } = await input();
    receiveAll(opus, await customerPackets());
    expect(heard).toHaveLength(FRAMES);
    expect(stepsOf(heard)).toEqual(Array.from({ length: FRAMES - 1 }, () => [1, FRAME_SAMPLES]));
    expect(new Set(heard.map(({ ssrc }) => ssrc))).toEqual(new Set([77]));
    expect(measureTone(samplesOf(heard).subarray(1_600), 8_000, HZ).heard).toBe(true);
  });

  test('a single lost packet is restored from the next one', async () => {
    const { opus, heard } = await input();
    const packets = await customerPackets();
    receiveAll(
      opus,
      packets.filter((_, index) => index !== 30),
    );
    expect(heard).toHaveLength(FRAMES);
    expect(stepsOf(heard)).toEqual(Array.from({ length: FRAMES - 1 }, () => [1, FRAME_SAMPLES]));
    const restored = samplesOf(heard).subarray(28 * FRAME_SAMPLES, 33 * FRAME_SAMPLES);
    expect(measureTone(restored, 8_000, HZ).overRestDb).toBeGreaterThan(10);
  });

  test('several lost packets remain a gap, and late packets are dropped', async () => {
    const { opus, heard } = await input();
    const packets = await customerPackets();
    const [late] = packets.splice(20, 5);
    receiveAll(opus, packets);
    opus.receive(late!, 2_000);
    expect(heard).toHaveLength(FRAMES - 5);
    expect(stepsOf(heard)[19]).toEqual([6, 6 * FRAME_SAMPLES]);
  });

  test('a new stream continues the numbers after the time that has passed', async () => {
    const { opus, heard } = await input();
    receiveAll(opus, await customerPackets(10));
    receiveAll(opus, await customerPackets(10, { ssrc: 9, sequenceNumber: 5, timestamp: 4 }), 1_180);
    expect(heard).toHaveLength(20);
    expect(stepsOf(heard)[9]).toEqual([1, 50 * FRAME_SAMPLES]);
    expect(heard[10]?.marker).toBe(true);
  });

  test('whatever a packet contains is decoded or counted', async () => {
    const { opus, heard } = await input();
    const packets = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 20 });
    let sequenceNumber = 0;
    fc.assert(
      fc.property(packets, (payloads) => {
        for (const payload of payloads) {
          const before = heard.length + opus.undecodable;
          sequenceNumber = (sequenceNumber + 3) & 0xffff;
          const packet = { payloadType: OPUS, marker: false, sequenceNumber, ssrc: 1 };
          opus.receive(
            { ...packet, timestamp: sequenceNumber * FRAME_TICKS, payload: Buffer.from(payload) },
            0,
          );
          expect(heard.length + opus.undecodable).toBe(before + 1);
          expect(heard.at(-1)?.payload.length ?? 0).toBeLessThanOrEqual(960);
        }
      }),
    );
  });
});

describe('what the customer hears', () => {
  const player = (index: number, payloadType: number, payload: Buffer): RtpPacket => ({
    payloadType,
    marker: index === 0,
    sequenceNumber: 500 + index,
    timestamp: (0xffff_ff00 + index * FRAME_SAMPLES) >>> 0,
    ssrc: 5,
    payload,
  });

  async function output(): Promise<{ opus: OpusOutput; sent: RtpPacket[] }> {
    const sent: RtpPacket[] = [];
    const opus = await OpusOutput.create({
      opusPayloadType: OPUS,
      ssrc: 9,
      send: (datagram) => sent.push(parseRtp(datagram)!),
    });
    opened.push(opus);
    return { opus, sent };
  }

  test.each(['PCMU', 'PCMA'] as const)('is %s as Opus of 20 ms at 48 kHz', async (law) => {
    const { opus, sent } = await output();
    const pcm = sine(HZ, 8_000, FRAMES * FRAME_SAMPLES);
    const decoder = await createDecoder({ sampleRate: 8_000, channels: 1 });
    for (let index = 0; index < FRAMES; index += 1) {
      const frame = pcm.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES);
      opus.send(player(index, LAW_PAYLOAD_TYPE[law], encode(law, frame)));
    }
    expect(stepsOf(sent)).toEqual(Array.from({ length: FRAMES - 1 }, () => [1, FRAME_TICKS]));
    expect(new Set(sent.map(({ payloadType, ssrc }) => `${payloadType} ${ssrc}`))).toEqual(
      new Set(['111 9']),
    );
    const heard = sent.flatMap(({ payload }) => [...decoder.decode(payload)]);
    decoder.free();
    expect(measureTone(Int16Array.from(heard.slice(1_600)), 8_000, HZ).heard).toBe(true);
  });

  test('is packets of 20 ms if the agent’s are longer or shorter', async () => {
    const { opus, sent } = await output();
    opus.send(player(0, 0, Buffer.alloc(2 * FRAME_SAMPLES, 0xff)));
    for (const half of [0, 80]) {
      const packet = player(2, 0, Buffer.alloc(80, 0xff));
      opus.send({ ...packet, timestamp: (packet.timestamp + half) >>> 0 });
    }
    expect(stepsOf(sent)).toEqual([
      [1, FRAME_TICKS],
      [1, FRAME_TICKS],
    ]);
  });

  test('has telephone events unchanged, in the clock of the audio', async () => {
    const { opus, sent } = await output();
    const event = Buffer.from([5, 10, 0, 160]);
    opus.send(player(0, 0, Buffer.alloc(FRAME_SAMPLES, 0xff)));
    opus.send(player(1, EVENTS, event));
    expect(sent[1]).toMatchObject({ payloadType: EVENTS, payload: event });
    expect(stepsOf(sent)).toEqual([[1, FRAME_TICKS]]);
  });
});
