import { expect, test } from 'vitest';
import { encodeWav, toMono } from './wav.ts';

test('samples become a mono 16-bit WAV file', () => {
  const bytes = encodeWav(Float32Array.of(0, 1, -1, 2), 24_000);
  const view = new DataView(bytes.buffer);
  const text = (at: number, length: number) => String.fromCharCode(...bytes.slice(at, at + length));
  expect([text(0, 4), text(8, 8), text(36, 4)]).toEqual(['RIFF', 'WAVEfmt ', 'data']);
  expect(bytes.length).toBe(44 + 8);
  expect(view.getUint32(4, true)).toBe(bytes.length - 8);
  expect(view.getUint32(24, true)).toBe(24_000);
  expect([0, 1, 2, 3].map((i) => view.getInt16(44 + 2 * i, true))).toEqual([0, 32_767, -32_767, 32_767]);
});

test('two channels are mixed to their mean', () => {
  expect([...toMono([Float32Array.of(1, 0), Float32Array.of(0, 0.5)])]).toEqual([0.5, 0.25]);
  expect([...toMono([])]).toEqual([]);
});
