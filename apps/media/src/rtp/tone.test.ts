import { expect, test } from 'vitest';
import { measureTone } from '@clarion/test-phone/audio/goertzel';
import { decode, encode, FRAME_SAMPLES } from './g711.ts';
import { ToneSound, type ToneName } from './tone.ts';

function listen(tone: ToneName, law: 'PCMU' | 'PCMA', fromMs: number, ms: number): Int16Array {
  const sound = new ToneSound(tone);
  const frames = Array.from({ length: (fromMs + ms) / 20 }, () => sound.frame(law)).slice(fromMs / 20);
  return decode(law, Buffer.concat(frames));
}

test('ringback sounds at 425 Hz for a second, then is silent for four, and again', () => {
  expect(measureTone(listen('ringback', 'PCMA', 0, 1_000), 8_000, 425).heard).toBe(true);
  expect(Math.max(...listen('ringback', 'PCMA', 1_000, 4_000))).toBeLessThanOrEqual(8);
  expect(measureTone(listen('ringback', 'PCMA', 5_000, 1_000), 8_000, 425).heard).toBe(true);
});

test('North American ringback is 440 and 480 Hz together', () => {
  const samples = listen('ringback', 'PCMU', 0, 2_000);
  for (const hertz of [440, 480]) {
    expect(Math.abs(measureTone(samples, 8_000, hertz).overRestDb)).toBeLessThan(1);
  }
});

test('the hold tone is soft', () => {
  const beep = listen('hold', 'PCMA', 0, 400);
  expect(measureTone(beep, 8_000, 440).heard).toBe(true);
  expect(measureTone(beep, 8_000, 440).levelDb).toBeLessThan(-20);
});

test('every frame is 20 ms, and as samples it is the same sound', () => {
  const [encoded, samples] = [new ToneSound('ringback'), new ToneSound('ringback')];
  for (let index = 0; index < 600; index += 1) {
    const frame = encoded.frame('PCMA');
    expect(frame).toHaveLength(FRAME_SAMPLES);
    expect(frame).toEqual(encode('PCMA', samples.pcm('PCMA')));
  }
});
