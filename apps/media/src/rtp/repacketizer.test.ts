import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lawOf } from './g711.ts';
import { sequenceDistance, timestampDistance, type RtpPacket } from './packet.ts';
import { Repacketizer } from './repacketizer.ts';

const KEY = 101;

function repacketizer(ptimeMs: number): { sent: RtpPacket[]; frames: Repacketizer } {
  const sent: RtpPacket[] = [];
  const frames = new Repacketizer(ptimeMs, {
    lawOf,
    send: (packet) => sent.push({ ...packet, payload: Buffer.from(packet.payload) }),
  });
  return { sent, frames };
}

/** `count` packets of `ms` with increasing byte values. */
function voice(count: number, ms: number, firstByte = 0): RtpPacket[] {
  const length = ms * 8;
  return Array.from({ length: count }, (_, index) => ({
    payloadType: 8,
    marker: index === 0,
    sequenceNumber: (65_530 + index) & 0xffff,
    timestamp: (0xfffffe00 + index * length) >>> 0,
    ssrc: 7,
    payload: Buffer.from(Array.from({ length }, (__, at) => (firstByte + index * length + at) & 0xff)),
  }));
}

test.each([10, 20, 30, 40, 50, 60])(
  'packets of 20 ms are sent as packets of %i ms without losing a byte',
  (ptimeMs) => {
    const { sent, frames } = repacketizer(ptimeMs);
    const given = voice(30, 20);
    for (const packet of given) frames.send(packet);
    frames.flush();
    expect(sent.slice(0, -1).every((packet) => packet.payload.length === ptimeMs * 8)).toBe(true);
    expect(Buffer.concat(sent.map(({ payload }) => payload))).toEqual(
      Buffer.concat(given.map(({ payload }) => payload)),
    );
    expect(sent[0]).toMatchObject({ sequenceNumber: 65_530, timestamp: 0xfffffe00, marker: true });
    sent.forEach((packet, index) => {
      const before = sent[index - 1];
      if (!before) return;
      expect(sequenceDistance(packet.sequenceNumber, before.sequenceNumber)).toBe(1);
      expect(timestampDistance(packet.timestamp, before.timestamp)).toBe(before.payload.length);
      expect(packet.marker).toBe(false);
    });
  },
);

describe('the stream', () => {
  test('contains silence in place of a missing packet, and keeps its timing', () => {
    const { sent, frames } = repacketizer(60);
    const [first, , third] = voice(3, 20);
    if (!first || !third) throw new Error('three packets were made');
    frames.send(first);
    frames.send(third);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.payload.subarray(160, 320).every((byte) => byte === 0xd5)).toBe(true);
    expect(sent[0]?.payload.subarray(320)).toEqual(third.payload);
  });

  test('completes a packet before a jump in time, and starts a new one when the codec changes', () => {
    const { sent, frames } = repacketizer(40);
    const [first, , , , fifth] = voice(5, 20);
    if (!first || !fifth) throw new Error('five packets were made');
    frames.send(first);
    frames.send(fifth);
    frames.send({ ...fifth, payloadType: 0, timestamp: (fifth.timestamp + 160) >>> 0 });
    frames.flush();
    expect(
      sent.map(({ timestamp, payloadType, payload }) => [timestamp, payloadType, payload.length]),
    ).toEqual([
      [first.timestamp, 8, 320],
      [fifth.timestamp, 8, 160],
      [(fifth.timestamp + 160) >>> 0, 0, 160],
    ]);
  });

  test('passes on telephone events unchanged, after the voice before them', () => {
    const { sent, frames } = repacketizer(30);
    const [first, second] = voice(2, 20);
    if (!first || !second) throw new Error('two packets were made');
    const key = { ...second, payloadType: KEY, payload: Buffer.from([1, 10, 0, 160]) };
    frames.send(first);
    frames.send(key);
    frames.send({ ...key, sequenceNumber: key.sequenceNumber + 1 });
    expect(sent.map(({ payloadType, sequenceNumber }) => [payloadType, sequenceNumber])).toEqual([
      [8, 65_530],
      [KEY, 65_531],
      [KEY, 65_532],
    ]);
    expect(sent[1]?.timestamp).toBe(key.timestamp);
  });

  test('changes the packet length when the remote party asks for another', () => {
    const { sent, frames } = repacketizer(30);
    const packets = voice(6, 20);
    for (const packet of packets.slice(0, 3)) frames.send(packet);
    frames.ptimeMs = 20;
    for (const packet of packets.slice(3)) frames.send(packet);
    expect(sent.map(({ payload }) => payload.length)).toEqual([240, 240, 160, 160, 160]);
  });
});

test('for any input, sequence numbers increase by one, no packet is too long, and nothing is lost', () => {
  const input = fc.array(
    fc.record({
      ms: fc.constantFrom(10, 20, 30, 40, 60),
      gap: fc.constantFrom(0, 0, 0, 80, 160, 4_000),
      key: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(input, fc.constantFrom(10, 20, 30, 40, 50, 60), (given, ptimeMs) => {
      const { sent, frames } = repacketizer(ptimeMs);
      let timestamp = 0;
      let bytes = 0;
      for (const { ms, gap, key } of given) {
        timestamp += gap;
        const payload = Buffer.alloc(key ? 4 : ms * 8, 1);
        frames.send({
          payloadType: key ? KEY : 0,
          marker: false,
          sequenceNumber: 5,
          timestamp,
          ssrc: 1,
          payload,
        });
        if (!key) timestamp += payload.length;
        bytes += payload.length;
      }
      frames.flush();
      sent.forEach((packet, index) => expect(packet.sequenceNumber).toBe(5 + index));
      expect(sent.every(({ payload }) => payload.length <= ptimeMs * 8)).toBe(true);
      const came = sent.reduce((sum, { payload }) => sum + payload.filter((byte) => byte === 1).length, 0);
      expect(came).toBe(bytes);
    }),
  );
});
