import { expect, test } from 'vitest';
import { measureTone, sine } from '../audio/goertzel.ts';
import { G722Decoder, G722Encoder, WIDEBAND_RATE } from './g722.ts';

test.each([300, 1000, 3400, 6000])('a tone of %i Hz keeps its frequency and level', (hz) => {
  const pcm = sine(hz, WIDEBAND_RATE, 8000);
  const decoded = new G722Decoder().decode(new G722Encoder().encode(pcm)).subarray(1600);
  const measured = measureTone(decoded, WIDEBAND_RATE, hz);
  expect(measured.heard).toBe(true);
  expect(measured.levelDb).toBeCloseTo(measureTone(pcm, WIDEBAND_RATE, hz).levelDb, 0);
});
