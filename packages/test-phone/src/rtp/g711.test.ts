import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode, type Law } from './g711.ts';

const laws: Law[] = ['PCMA', 'PCMU'];

describe('G.711', () => {
  test.each(laws)('%s: decoding and encoding a code returns the same code', (law) => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
    const again = encode(law, decode(law, codes));
    // µ-law has two zeros; the negative one (0x7f) becomes the positive one.
    const expected = law === 'PCMU' ? codes.map((code) => (code === 0x7f ? 0xff : code)) : codes;
    expect([...again]).toEqual([...expected]);
  });

  test.each(laws)('%s: encoding and decoding changes a sample by at most a sixteenth of its value', (law) => {
    fc.assert(
      fc.property(fc.integer({ min: -32_000, max: 32_000 }), (sample) => {
        const [back = NaN] = decode(law, encode(law, Int16Array.of(sample)));
        expect(Math.abs(back - sample)).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16));
      }),
    );
  });

  test.each([
    ['PCMA', 0xd5, 8],
    ['PCMA', 0x2a, -32_256],
    ['PCMU', 0xff, 0],
    ['PCMU', 0x80, 32_124],
    ['PCMU', 0x00, -32_124],
  ] as const)('%s: the code %i is %i, as G.711 tables say', (law, code, sample) => {
    expect(decode(law, Uint8Array.of(code))[0]).toBe(sample);
  });
});
