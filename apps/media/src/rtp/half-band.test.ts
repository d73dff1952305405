import { meanPower, measureTone, sine, tonePower } from '@clarion/test-phone/audio/goertzel';
import { expect, test } from 'vitest';
import { RateDoubler, RateHalver } from './half-band.ts';

const decibels = (ratio: number) => 10 * Math.log10(ratio);
const settled = (pcm: Int16Array) => pcm.subarray(pcm.length / 4);

function doubled(pcm: Int16Array): Int16Array {
  const target = new Int16Array(2 * pcm.length);
  const doubler = new RateDoubler();
  for (let from = 0; from < pcm.length; from += 160)
    doubler.doubleInto(pcm.subarray(from, from + 160), target.subarray(2 * from, 2 * (from + 160)));
  return target;
}

function halved(pcm: Int16Array): Int16Array {
  const target = new Int16Array(pcm.length / 2);
  const halver = new RateHalver();
  for (let from = 0; from < pcm.length; from += 320)
    halver.halveInto(pcm.subarray(from, from + 320), target.subarray(from / 2, from / 2 + 160));
  return target;
}

test.each([100, 300, 1_000, 2_000, 3_000, 3_400])(
  'a tone of %i Hz, as in telephony, passes both ways unchanged',
  (hz) => {
    const pcm = sine(hz, 8_000, 8_000);
    const wide = settled(doubled(pcm));
    expect(decibels(tonePower(wide, 16_000, hz) / tonePower(pcm, 8_000, hz))).toBeCloseTo(0, 1);
    expect(decibels(tonePower(wide, 16_000, 8_000 - hz) / tonePower(wide, 16_000, hz))).toBeLessThan(-55);
    const back = measureTone(settled(halved(doubled(pcm))), 8_000, hz);
    expect(back.hz).toBe(hz);
    expect(back.overRestDb).toBeGreaterThan(60);
  },
);

test.each([
  [4_400, -20],
  [4_600, -55],
  [5_500, -55],
  [7_000, -55],
])('%i Hz, which does not exist at 8 kHz, is attenuated by at least %i dB', (hz, levelDb) => {
  const pcm = sine(hz, 16_000, 16_000);
  expect(decibels(Math.max(1e-9, meanPower(settled(halved(pcm))) / meanPower(pcm)))).toBeLessThan(levelDb);
});

test('the loudest samples are limited instead of wrapping around', () => {
  const square = Int16Array.from({ length: 1_600 }, (_, index) => (index % 16 < 8 ? 32_767 : -32_768));
  const wide = doubled(square);
  for (let index = 1; index < wide.length; index += 1)
    expect(Math.abs((wide[index] ?? 0) - (wide[index - 1] ?? 0))).toBeLessThan(60_000);
});
