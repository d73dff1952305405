import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRtp, parseRtp, sequenceDistance, timestampDistance } from './packet.ts';

const packet = fc.record({
  // 64 to 95 would be RTCP.
  payloadType: fc.oneof(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 96, max: 127 })),
  marker: fc.boolean(),
  sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
  timestamp: fc.integer({ min: 0, max: 0xffffffff }),
  ssrc: fc.integer({ min: 0, max: 0xffffffff }),
  payload: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
});

test('a packet that is built parses to the same fields', () => {
  fc.assert(
    fc.property(packet, (original) => {
      expect(parseRtp(buildRtp(original))).toEqual(original);
    }),
  );
});

test('arbitrary bytes parse or return null, without an exception or a read beyond the end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const parsed = parseRtp(Buffer.from(bytes));
      if (parsed) expect(parsed.payload.length).toBeLessThanOrEqual(bytes.length - 12);
    }),
  );
});

test('CSRCs, a header extension and padding are not part of the payload', () => {
  const payload = Buffer.from([1, 2, 3, 4]);
  const plain = buildRtp({
    payloadType: 8,
    marker: false,
    sequenceNumber: 1,
    timestamp: 2,
    ssrc: 3,
    payload,
  });
  const header = Buffer.from(plain.subarray(0, 12));
  header[0] = 0x80 | 0x20 | 0x10 | 0x01;
  const csrc = Buffer.alloc(4, 9);
  const extension = Buffer.from([0xbe, 0xde, 0, 1, 7, 7, 7, 7]);
  const padding = Buffer.from([0, 0, 3]);
  expect(parseRtp(Buffer.concat([header, csrc, extension, payload, padding]))?.payload).toEqual(payload);
});

test('RTCP and other RTP versions are not RTP packets', () => {
  const bytes = Buffer.alloc(20);
  bytes[0] = 0x80;
  bytes[1] = 200;
  expect(parseRtp(bytes)).toBeNull();
  bytes[0] = 0x40;
  bytes[1] = 0;
  expect(parseRtp(bytes)).toBeNull();
});

test('distances take wrap-around into account', () => {
  expect(sequenceDistance(1, 0xffff)).toBe(2);
  expect(sequenceDistance(0xffff, 1)).toBe(-2);
  expect(timestampDistance(100, 0xffffffff)).toBe(101);
  expect(timestampDistance(0xffffffff, 100)).toBe(-101);
});
