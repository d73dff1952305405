import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode, encodeSample, FRAME_SAMPLES, LAWS, SILENCE, transcode, type Law } from './g711.ts';

const other = (law: Law): Law => (law === 'PCMU' ? 'PCMA' : 'PCMU');
const oneByte = (byte: number) => Buffer.from([byte]);

describe.each(LAWS)('%s', (law) => {
  test('every code decodes to a value that encodes to a code of the same value', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const value = decode(law, oneByte(byte))[0] ?? 0;
      expect(decode(law, oneByte(encodeSample(law, value)))[0]).toBe(value);
    }
  });

  test('a decoded sample is within a 16th of the original', () => {
    fc.assert(
      fc.property(fc.integer({ min: -32_000, max: 32_000 }), (sample) => {
        const back = decode(law, encode(law, Int16Array.of(sample)))[0] ?? 0;
        expect(Math.abs(back - sample)).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16));
      }),
    );
  });

  test('extreme values do not wrap around', () => {
    expect(decode(law, oneByte(encodeSample(law, 32_767)))[0]).toBeGreaterThan(31_000);
    expect(decode(law, oneByte(encodeSample(law, -32_768)))[0]).toBeLessThan(-31_000);
  });

  test('the silence code decodes to almost zero', () => {
    expect(Math.abs(decode(law, oneByte(SILENCE[law]))[0] ?? 99)).toBeLessThanOrEqual(8);
  });

  test('transcoding preserves the signal', () => {
    const samples = Int16Array.from({ length: FRAME_SAMPLES }, (_, n) => Math.round(9_000 * Math.sin(n / 3)));
    const there = transcode(encode(law, samples), law, other(law));
    decode(other(law), there).forEach((sample, index) => {
      expect(Math.abs(sample - (samples[index] ?? 0))).toBeLessThan(700);
    });
  });
});

test('codes match ITU-T G.711', () => {
  expect(encodeSample('PCMU', 0)).toBe(0xff);
  expect(encodeSample('PCMU', 8_031)).toBe(0xa0);
  expect(decode('PCMU', oneByte(0x00))[0]).toBe(-32_124);
  expect(decode('PCMU', oneByte(0x80))[0]).toBe(32_124);
  expect(decode('PCMA', oneByte(0xd5))[0]).toBe(8);
  expect(decode('PCMA', oneByte(0x2a))[0]).toBe(-32_256);
  expect(decode('PCMA', oneByte(0xaa))[0]).toBe(32_256);
});
