import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildRtp } from './packet.ts';
import { buildGoodbye } from './rtcp.ts';
import { nearestIndex, REPLAY_WINDOW, SrtpReceiver, SrtpSender } from './srtp.ts';
import { KeyStream } from './srtp-cipher.ts';
import { newMasterKey, sessionKeys, SRTP_SUITES, type MasterKey, type SrtpSuite } from './srtp-keys.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const SUITES = Object.keys(SRTP_SUITES) as SrtpSuite[];
/** RFC 3711 appendix B.3. */
const RFC_KEY: MasterKey = {
  suite: 'AES_CM_128_HMAC_SHA1_80',
  key: hex('e1f97a0d3e018be0d64fa32c06de4139'),
  salt: hex('0ec675ad498afeebb6960b3aabe6'),
  mki: Buffer.alloc(0),
};
const SSRC = 0xcafebabe;
const packet = (index: number, ssrc = SSRC) =>
  buildRtp({
    payloadType: 8,
    marker: false,
    sequenceNumber: index & 0xffff,
    timestamp: (index * 160) >>> 0,
    ssrc,
    payload: Buffer.alloc(160, index & 0xff),
  });

describe('the published vectors', () => {
  test('of key derivation (RFC 3711 B.3)', () => {
    const { cipher, salt, auth } = sessionKeys(RFC_KEY, 'rtp');
    expect(cipher.toString('hex')).toBe('c61e7a93744f39ee10734afe3ff7a087');
    expect(salt.toString('hex')).toBe('30cbbc08863d8c85d49db34a9ae1');
    expect(auth.toString('hex')).toBe('cebe321f6ff7716b6fd4ab49af256a156d38baa4');
  });

  test('of AES in counter mode (RFC 3711 B.2)', () => {
    const keys = {
      cipher: hex('2b7e151628aed2a6abf7158809cf4f3c'),
      salt: hex('f0f1f2f3f4f5f6f7f8f9fafbfcfd'),
      auth: Buffer.alloc(20),
    };
    const encrypted = Buffer.alloc(48);
    new KeyStream(keys).apply(encrypted, 0, 48, 0, 0);
    expect(encrypted.toString('hex')).toBe(
      'e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab41e95b3bb0a2e8dd477901e4fca894c0',
    );
  });

  const plain = hex(`800f1234decafbadcafebabe${'ab'.repeat(16)}`);
  test.each<[SrtpSuite, MasterKey, string]>([
    [
      'AES_CM_128_HMAC_SHA1_80',
      RFC_KEY,
      '800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb',
    ],
    [
      'AEAD_AES_128_GCM',
      {
        suite: 'AEAD_AES_128_GCM',
        key: hex('000102030405060708090a0b0c0d0e0f'),
        salt: hex('a0a1a2a3a4a5a6a7a8a9aaab'),
        mki: Buffer.alloc(0),
      },
      '800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df3131a127e8a392',
    ],
  ])('of a whole packet with %s (the validation of libsrtp)', (_suite, key, encrypted) => {
    expect(new SrtpSender(key).protectRtp(plain)?.toString('hex')).toBe(encrypted);
    expect(new SrtpReceiver(key).unprotectRtp(hex(encrypted))).toEqual(plain);
  });
});

describe.each(SUITES)('%s', (suite) => {
  test('restores RTP of any length, with CSRCs and a header extension, which stay readable', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 }),
        fc.boolean(),
        fc.uint8Array({ maxLength: 1_200 }),
        fc.integer({ min: 0, max: 0x7fff }),
        (csrcs, extended, payload, sequenceNumber) => {
          const key = newMasterKey(suite);
          const header = Buffer.alloc(12 + 4 * csrcs + (extended ? 8 : 0), 7);
          header.writeUInt8(0x80 | (extended ? 0x10 : 0) | csrcs, 0);
          header.writeUInt16BE(sequenceNumber, 2);
          if (extended) header.writeUInt16BE(1, header.length - 6);
          const datagram = Buffer.concat([header, payload]);
          const encrypted = new SrtpSender(key).protectRtp(datagram);
          expect(encrypted?.subarray(0, header.length)).toEqual(header);
          expect(encrypted && new SrtpReceiver(key).unprotectRtp(encrypted)).toEqual(datagram);
        },
      ),
    );
  });

  test('rejects a packet in which any bit was changed, and one with another key', () => {
    const key = newMasterKey(suite);
    const encrypted = new SrtpSender(key).protectRtp(packet(7)) ?? Buffer.alloc(0);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: encrypted.length * 8 - 1 }), (bit) => {
        const changed = Buffer.from(encrypted);
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(new SrtpReceiver(key).unprotectRtp(changed)).toBeNull();
      }),
    );
    const receiver = new SrtpReceiver(newMasterKey(suite));
    expect(receiver.unprotectRtp(encrypted)).toBeNull();
    expect(receiver.rejected).toBe(1);
  });

  test('encrypts RTCP, rejects it when it is repeated or changed, and counts its index for itself', () => {
    const key = newMasterKey(suite);
    const [sender, receiver] = [new SrtpSender(key), new SrtpReceiver(key)];
    const report = Buffer.concat([buildGoodbye(SSRC), Buffer.from('any further report..')]);
    const first = sender.protectRtcp(report) ?? Buffer.alloc(0);
    const second = sender.protectRtcp(report) ?? Buffer.alloc(0);
    expect(first.equals(second)).toBe(false);
    expect(first.includes('further')).toBe(false);
    expect(receiver.unprotectRtcp(second)).toEqual(report);
    expect(receiver.unprotectRtcp(first)).toEqual(report);
    expect(receiver.unprotectRtcp(first)).toBeNull();
    second.writeUInt8(second.readUInt8(9) ^ 1, 9);
    expect(new SrtpReceiver(key).unprotectRtcp(second)).toBeNull();
    expect(receiver.unprotectRtcp(report)).toBeNull();
  });

  test('expects the identifier of the master key (MKI) if the remote party announced one', () => {
    const key = { ...newMasterKey(suite), mki: hex('0102') };
    const encrypted = new SrtpSender(key).protectRtp(packet(1)) ?? Buffer.alloc(0);
    expect(new SrtpReceiver(key).unprotectRtp(encrypted)).toEqual(packet(1));
    const report = new SrtpSender(key).protectRtcp(buildGoodbye(SSRC)) ?? Buffer.alloc(0);
    expect(new SrtpReceiver(key).unprotectRtcp(report)).toEqual(buildGoodbye(SSRC));
    expect(new SrtpReceiver({ ...key, mki: Buffer.alloc(0) }).unprotectRtp(encrypted)).toBeNull();
  });

  test('of any bytes is decrypted or rejected, and never throws', () => {
    const receiver = new SrtpReceiver(newMasterKey(suite));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        const datagram = Buffer.from(bytes);
        if (datagram.length > 0) datagram.writeUInt8(0x80 | (datagram.readUInt8(0) & 0x3f), 0);
        expect(receiver.unprotectRtp(datagram)).toBeNull();
        expect(receiver.unprotectRtcp(datagram)).toBeNull();
      }),
    );
  });
});

/** Packets `from` to `to` of a stream whose sequence numbers wrap. */
const stream = (sender: SrtpSender, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => sender.protectRtp(packet(from + at)) ?? Buffer.alloc(0));

describe('the rollover counter', () => {
  test('is followed across wraps with losses, reordering and repetitions; each packet is accepted exactly once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0x7fff }),
        fc.array(
          fc.tuple(fc.integer({ min: 1, max: 0x6000 }), fc.integer({ min: 0, max: REPLAY_WINDOW - 1 })),
          {
            minLength: 2,
            maxLength: 30,
          },
        ),
        (start, steps) => {
          const key = newMasterKey('AES_CM_128_HMAC_SHA1_80');
          const [sender, receiver] = [new SrtpSender(key), new SrtpReceiver(key)];
          let index = start;
          expect(receiver.unprotectRtp(stream(sender, index, index + 1)[0] as Buffer)).toEqual(packet(index));
          for (const [gap, late] of steps) {
            const held = stream(sender, index + gap, index + gap + 1)[0] as Buffer;
            const later = stream(sender, index + gap + late + 1, index + gap + late + 2)[0] as Buffer;
            expect(receiver.unprotectRtp(later)).toEqual(packet(index + gap + late + 1));
            if (late + 1 < REPLAY_WINDOW) expect(receiver.unprotectRtp(held)).toEqual(packet(index + gap));
            expect(receiver.unprotectRtp(held)).toBeNull();
            expect(receiver.unprotectRtp(later)).toBeNull();
            index += gap + late + 1;
          }
          expect(receiver.rolloverOf(SSRC)).toBe(index >> 16);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('starts with 1 for a stream that began just before its first wrap and was not heard until then', () => {
    const key = newMasterKey('AES_CM_128_HMAC_SHA1_80');
    const sender = new SrtpSender(key);
    stream(sender, 0xfff0, 0x1_0000);
    const receiver = new SrtpReceiver(key);
    const [heard] = stream(sender, 0x1_0000, 0x1_0001);
    expect(receiver.unprotectRtp(heard as Buffer)).toEqual(packet(0x1_0000));
    expect(receiver.rolloverOf(SSRC)).toBe(1);
  });

  test.each([
    ['continues', 3 * 0x1_0000 + 9],
    ['starts from zero', 9],
  ])('of a stream whose key was changed %s, as the remote party does it', (_how, next) => {
    const before = new SrtpReceiver(newMasterKey('AES_CM_128_HMAC_SHA1_80'));
    const old = new SrtpSender(before.key);
    for (let index = 0; index <= 3 * 0x1_0000; index += 0x4000)
      before.unprotectRtp(stream(old, index, index + 1)[0] as Buffer);
    expect(before.rolloverOf(SSRC)).toBe(3);
    const key = newMasterKey('AES_CM_128_HMAC_SHA1_80');
    const sender = new SrtpSender(key);
    for (let wrap = 0; wrap < next; wrap += 0x4000) stream(sender, wrap, wrap + 1);
    const [first] = stream(sender, next, next + 1);
    expect(new SrtpReceiver(key, before).unprotectRtp(first as Buffer)).toEqual(packet(next));
  });

  test('of every SSRC is counted on its own', () => {
    const key = newMasterKey('AES_CM_128_HMAC_SHA1_80');
    const [sender, receiver] = [new SrtpSender(key), new SrtpReceiver(key)];
    for (const [index, ssrc] of [
      [0xfff0, 1],
      [0x1_0005, 1],
      [4, 2],
      [0x1_0006, 1],
    ] as const) {
      const encrypted = sender.protectRtp(packet(index, ssrc)) ?? Buffer.alloc(0);
      expect(receiver.unprotectRtp(encrypted)).toEqual(packet(index, ssrc));
    }
    expect([receiver.rolloverOf(1), receiver.rolloverOf(2)]).toEqual([1, 0]);
  });

  test('is not changed by packets that are not authentic', () => {
    const key = newMasterKey('AES_CM_128_HMAC_SHA1_80');
    const [sender, receiver] = [new SrtpSender(key), new SrtpReceiver(key)];
    receiver.unprotectRtp(stream(sender, 0x7ff0, 0x7ff1)[0] as Buffer);
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const forged = Buffer.concat([packet(attempt * 1_000), randomBytes(10)]);
      expect(receiver.unprotectRtp(forged)).toBeNull();
    }
    expect(receiver.unprotectRtp(stream(sender, 0x7ff1, 0x7ff2)[0] as Buffer)).toEqual(packet(0x7ff1));
  });
});

test('a sender never encrypts two packets with the same index', () => {
  const sender = new SrtpSender(newMasterKey('AES_CM_128_HMAC_SHA1_80'));
  expect(sender.protectRtp(packet(10))).not.toBeNull();
  expect(sender.protectRtp(packet(10))).toBeNull();
  expect(sender.protectRtp(packet(9))).toBeNull();
  expect(sender.protectRtp(packet(11))).not.toBeNull();
});

test('the nearest index is at most half a cycle away', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.integer({ min: 0, max: 0xffff }),
      (highest, next) => {
        const index = nearestIndex(highest, next);
        expect(((index % 0x1_0000) + 0x1_0000) % 0x1_0000).toBe(next);
        expect(Math.abs(index - highest)).toBeLessThanOrEqual(0x8000);
      },
    ),
  );
});
