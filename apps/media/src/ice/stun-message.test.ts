import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeStun, encodeStun, isAuthentic, looksLikeStun, type StunMessage } from './stun-message.ts';
import { canonicalIpv6 } from './stun-address.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

/** RFC 5769 §2.1 to §2.3. */
const VECTOR_PASSWORD = 'VOkJxbRl1RmTxUk/WvJxBt';
const VECTOR_TRANSACTION = bytes('b7e7a701bc34d686fa87dfae');
const SAMPLE_REQUEST = bytes(`
  00010058 2112a442 b7e7a701bc34d686fa87dfae
  80220010 5354554e207465737420636c69656e74
  00240004 6e0001ff
  80290008 932ff9b151263b36
  00060009 6576746a3a68367659202020
  00080014 9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2
  80280004 e57a3bcf`);
const SAMPLE_IPV4_RESPONSE = bytes(`
  0101003c 2112a442 b7e7a701bc34d686fa87dfae
  8022000b 7465737420766563746f7220
  00200008 0001a147e112a643
  00080014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7
  80280004 c07d4c96`);
const SAMPLE_IPV6_RESPONSE = bytes(`
  01010048 2112a442 b7e7a701bc34d686fa87dfae
  8022000b 7465737420766563746f7220
  00200014 0002a1470113a9faa5d3f179bc25f4b5bed2b9d9
  00080014 a382954e4be67bf11784c97c8292c275bfe3ed41
  80280004 c8fb0b4c`);

describe('the test vectors of RFC 5769', () => {
  test('the sample request decodes to its fields', () => {
    const decoded = decodeStun(SAMPLE_REQUEST);
    expect(decoded?.message).toEqual({
      class: 'request',
      transactionId: VECTOR_TRANSACTION,
      username: 'evtj:h6vY',
      priority: 0x6e0001ff,
      role: { kind: 'controlled', tieBreaker: 0x932ff9b151263b36n },
    });
    expect(decoded?.notUnderstood).toEqual([]);
  });

  test.each([
    ['IPv4', SAMPLE_IPV4_RESPONSE, '192.0.2.1'],
    ['IPv6', SAMPLE_IPV6_RESPONSE, '2001:db8:1234:5678:11:2233:4455:6677'],
  ])('the sample %s response decodes to its address', (_family, datagram, address) => {
    expect(decodeStun(datagram)?.message).toEqual({
      class: 'success',
      transactionId: VECTOR_TRANSACTION,
      mappedAddress: { address, port: 32_853 },
    });
  });

  test.each([SAMPLE_REQUEST, SAMPLE_IPV4_RESPONSE, SAMPLE_IPV6_RESPONSE])(
    'message %# is authentic with its password only',
    (datagram) => {
      const decoded = decodeStun(datagram);
      if (!decoded) throw new Error('the vector does not decode');
      expect(isAuthentic(datagram, decoded, VECTOR_PASSWORD)).toBe(true);
      expect(isAuthentic(datagram, decoded, `${VECTOR_PASSWORD}x`)).toBe(false);
    },
  );
});

const PASSWORD = 'a password of 22 chars';
const ipv6 = fc.ipV6().map(canonicalIpv6);
const message: fc.Arbitrary<StunMessage> = fc.record(
  {
    class: fc.constantFrom('request', 'indication', 'success', 'error'),
    transactionId: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((array) => Buffer.from(array)),
    username: fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text.isWellFormed()),
    priority: fc.integer({ min: 0, max: 0xffffffff }),
    useCandidate: fc.constant(true),
    role: fc.record({
      kind: fc.constantFrom('controlling', 'controlled'),
      tieBreaker: fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }),
    }),
    mappedAddress: fc.record({
      address: fc.oneof(fc.ipV4(), ipv6),
      port: fc.integer({ min: 0, max: 0xffff }),
    }),
    errorCode: fc.integer({ min: 300, max: 699 }),
    unknownAttributes: fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 8 }),
  },
  { requiredKeys: ['class', 'transactionId'] },
);

test('a message that is encoded decodes to the same fields', () => {
  fc.assert(
    fc.property(message, fc.boolean(), (original, signed) => {
      const datagram = encodeStun(original, signed ? PASSWORD : null);
      const decoded = decodeStun(datagram);
      expect(decoded?.message).toEqual(original);
      expect(decoded && isAuthentic(datagram, decoded, PASSWORD)).toBe(signed);
    }),
  );
});

test('a changed, shortened or extended message is rejected without an exception', () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: 600 }), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(message, changes, fc.nat({ max: 200 }), (original, changed, cut) => {
      const datagram = encodeStun(original, PASSWORD);
      const mutated = Buffer.from(datagram);
      for (const [at, mask] of changed) {
        const index = at % mutated.length;
        mutated.writeUInt8((mutated.readUInt8(index) ^ mask) & 0xff, index);
      }
      // Three changed bytes may cancel out, so that the datagram is the original one.
      if (!mutated.equals(datagram)) expect(decodeStun(mutated)).toBeNull();
      if (cut > 0) expect(decodeStun(datagram.subarray(0, Math.max(0, datagram.length - cut)))).toBeNull();
      expect(decodeStun(Buffer.concat([datagram, Buffer.alloc(cut + 1)]))).toBeNull();
    }),
  );
});

test('arbitrary bytes decode or return null, without an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (array) => {
      decodeStun(Buffer.from(array));
    }),
  );
});

test('attributes with any type, length and value decode or return null, without an exception', () => {
  const attribute = fc.record({
    type: fc.oneof(fc.integer({ min: 0, max: 0x2b }), fc.integer({ min: 0, max: 0xffff })),
    length: fc.integer({ min: 0, max: 0xffff }),
    value: fc.uint8Array({ maxLength: 24 }),
  });
  fc.assert(
    fc.property(fc.array(attribute, { maxLength: 6 }), (attributes) => {
      const body = Buffer.concat(
        attributes.map(({ type, length, value }) => {
          const header = Buffer.alloc(4);
          header.writeUInt16BE(type, 0);
          header.writeUInt16BE(length % 2 === 0 ? value.length : length, 2);
          return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
        }),
      );
      const decoded = decodeStun(withFingerprint(body));
      if (decoded) isAuthentic(withFingerprint(body), decoded, PASSWORD);
    }),
  );
});

/** A request whose attributes are `body`, with a valid FINGERPRINT. */
function withFingerprint(body: Buffer): Buffer {
  const empty = encodeStun({ class: 'request', transactionId: VECTOR_TRANSACTION }, null);
  const datagram = Buffer.concat([empty.subarray(0, 20), body, empty.subarray(20)]);
  datagram.writeUInt16BE(datagram.length - 20, 2);
  const covered = datagram.subarray(0, datagram.length - 8);
  datagram.writeUInt32BE((crc32(covered) ^ 0x5354554e) >>> 0, datagram.length - 4);
  return datagram;
}

test('an attribute that must be understood and is not is named; an optional one is ignored', () => {
  const decoded = decodeStun(withFingerprint(bytes('00190004 11000000 8888000400000000')));
  expect(decoded?.notUnderstood).toEqual([0x0019]);
});

test('an attribute that is longer than the message is rejected', () => {
  expect(decodeStun(withFingerprint(bytes('00060004 61616161')))?.message.username).toBe('aaaa');
  expect(decodeStun(withFingerprint(bytes('00060008 61616161')))).toBeNull();
  expect(decodeStun(withFingerprint(bytes('0006ffff 61616161')))).toBeNull();
});

test('what follows MESSAGE-INTEGRITY is ignored', () => {
  const signed = encodeStun(
    { class: 'request', transactionId: VECTOR_TRANSACTION, username: 'a:b' },
    PASSWORD,
  );
  const withCandidate = withFingerprint(
    Buffer.concat([signed.subarray(20, signed.length - 8), bytes('00250000')]),
  );
  expect(decodeStun(withCandidate)?.message).toEqual({
    class: 'request',
    transactionId: VECTOR_TRANSACTION,
    username: 'a:b',
  });
});

test('a message without FINGERPRINT, or longer than ICE needs, is rejected', () => {
  const datagram = encodeStun(
    { class: 'request', transactionId: VECTOR_TRANSACTION, username: 'a:b' },
    PASSWORD,
  );
  const bare = Buffer.from(datagram.subarray(0, datagram.length - 8));
  bare.writeUInt16BE(bare.length - 20, 2);
  expect(decodeStun(bare)).toBeNull();
  const padding = Array.from({ length: 60 }, () => '8888000400000000').join('');
  expect(decodeStun(withFingerprint(bytes(padding)))?.message.class).toBe('request');
  expect(decodeStun(withFingerprint(bytes(padding.repeat(2))))).toBeNull();
});

test('DTLS and SRTP do not look like STUN', () => {
  for (const first of [20, 63, 128, 191])
    expect(looksLikeStun(Buffer.alloc(40, first)), `first byte ${first}`).toBe(false);
});
