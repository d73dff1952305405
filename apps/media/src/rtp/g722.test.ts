import { measureTone, sine } from '@clarion/test-phone/audio/goertzel';
import { expect, test } from 'vitest';
import { G722_SAMPLE_RATE, G722Decoder, G722Encoder } from './g722.ts';

function roundTrip(pcm: Int16Array, chunk = pcm.length): Int16Array {
  const [encoder, decoder] = [new G722Encoder(), new G722Decoder()];
  const result = new Int16Array(pcm.length);
  for (let from = 0; from < pcm.length; from += chunk) {
    const payload = new Uint8Array(chunk / 2);
    encoder.encodeInto(pcm.subarray(from, from + chunk), payload);
    decoder.decodeInto(payload, result.subarray(from, from + chunk));
  }
  return result;
}

test.each([
  [300, 55],
  [1_000, 45],
  [3_000, 38],
  [5_000, 20],
  [6_500, 22],
])('a tone of %i Hz keeps its level, and is %i dB above the coding noise', (hz, overNoiseDb) => {
  const pcm = sine(hz, G722_SAMPLE_RATE, G722_SAMPLE_RATE);
  const measured = measureTone(roundTrip(pcm).subarray(1_600), G722_SAMPLE_RATE, hz);
  expect(measured.hz).toBe(hz);
  expect(measured.overRestDb).toBeGreaterThan(overNoiseDb);
  expect(measured.levelDb).toBeCloseTo(measureTone(pcm, G722_SAMPLE_RATE, hz).levelDb, 0);
});

test('audio in packets is coded as the same audio in one piece', () => {
  const pcm = sine(700, G722_SAMPLE_RATE, 3_200, { amplitude: 12_000 });
  expect(roundTrip(pcm, 320)).toEqual(roundTrip(pcm));
});

test('silence is coded as the smallest positive difference in both sub-bands', () => {
  const payload = new Uint8Array(8);
  new G722Encoder().encodeInto(new Int16Array(16), payload);
  expect(Buffer.from(payload).toString('hex')).toBe('fafafafafafafafa');
});

test('full-scale noise neither overflows nor stays in the decoder', () => {
  const pcm = Int16Array.from({ length: 32_000 }, (_, index) =>
    index < 16_000 ? ((index * 7_919) % 2 === 0 ? 32_767 : -32_768) : 0,
  );
  const result = roundTrip(pcm);
  expect(Math.max(...result.subarray(30_000).map(Math.abs))).toBeLessThan(16);
});
