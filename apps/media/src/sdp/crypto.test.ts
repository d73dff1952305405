import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newLocalKeys } from '../sip/agreement.ts';
import { answeredCrypto, offeredCrypto, requirePolicy, usableCryptoLines } from './crypto.ts';

const bytes = Buffer.from('WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz', 'base64');
const KEY = bytes.toString('base64');
const read = (line: string) => usableCryptoLines([line]);

describe('a key', () => {
  test('is read from the example of RFC 4568, with lifetime, MKI and a hint for the replay window', () => {
    expect(read(`1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^20|1:4 WSH=64`)).toEqual([
      {
        tag: 1,
        key: {
          suite: 'AES_CM_128_HMAC_SHA1_80',
          key: bytes.subarray(0, 16),
          salt: bytes.subarray(16),
          mki: Buffer.from([0, 0, 0, 1]),
        },
      },
    ]);
  });

  test.each([
    ['padded', `9 AEAD_AES_128_GCM inline:${randomBytes(28).toString('base64')}`],
    ['unpadded', `9 AEAD_AES_128_GCM inline:${randomBytes(28).toString('base64').replaceAll('=', '')}`],
    ['with a decimal lifetime', `1 AES_CM_128_HMAC_SHA1_32 inline:${KEY}|1048576`],
    ['with an MKI only', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|1:1`],
    ['of 256 bits', `3 AEAD_AES_256_GCM inline:${randomBytes(44).toString('base64')}`],
    ['after several blanks', `1  AES_CM_128_HMAC_SHA1_80  inline:${KEY} `],
  ])('%s is usable', (_what, line) => {
    expect(read(line)).toHaveLength(1);
  });

  test.each([
    ['an unknown suite', `1 F8_128_HMAC_SHA1_80 inline:${KEY}`],
    ['a name that every object has', `1 constructor inline:${KEY}`],
    ['a key that is too short', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY.slice(0, 32)}`],
    ['a key that is too long', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}AAAA`],
    ['several keys', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|1:4;inline:${KEY}|2:4`],
    ['packets without encryption', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNENCRYPTED_SRTP`],
    ['a second parameter that matters', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} WSH=64 UNENCRYPTED_SRTCP`],
    ['a key derivation rate', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} KDR=10`],
    ['an MKI that does not fit its length', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|256:1`],
    ['a long MKI', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|1:128`],
    ['no tag', `AES_CM_128_HMAC_SHA1_80 inline:${KEY}`],
    ['another method', `1 AES_CM_128_HMAC_SHA1_80 uri:${KEY}`],
  ])('line with %s is ignored', (_what, line) => {
    expect(read(line)).toEqual([]);
  });

  test('line of any text is read or ignored', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `1 AEAD_AES_128_GCM inline:${rest}`),
        ),
        (line) => {
          expect(read(line).length).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

test('our offer names AES_CM_128_HMAC_SHA1_80 first, with keys that can be read and are all different', () => {
  const lines = offeredCrypto(newLocalKeys()).map(({ id, suite, config }) => `${id} ${suite} ${config}`);
  expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    '1 AES_CM_128_HMAC_SHA1_80',
    '2 AES_CM_128_HMAC_SHA1_32',
    '3 AEAD_AES_128_GCM',
    '4 AEAD_AES_256_GCM',
  ]);
  const keys = usableCryptoLines(lines).map(({ key }) => key.key.toString('hex'));
  expect(new Set(keys).size).toBe(4);
});

test('our answer repeats the tag of the line that it accepts', () => {
  const { AES_CM_128_HMAC_SHA1_32: send } = newLocalKeys();
  expect(answeredCrypto({ tag: 7, send, receive: send })).toMatchObject([
    { id: 7, suite: 'AES_CM_128_HMAC_SHA1_32' },
  ]);
});

test.each([
  ['keys over unencrypted signalling', [], 'never', 'srtp_without_tls'],
  ['no encryption on a trunk that requires it', null, 'required', 'srtp_required'],
  ['no usable key', [], 'allowed', 'srtp_unsupported'],
] as const)(
  '%s are rejected with 488 and a code of the failure catalogue',
  (_what, crypto, policy, reason) => {
    expect(() => requirePolicy(crypto, policy)).toThrow(expect.objectContaining({ status: 488, reason }));
  },
);
