import { FRAME_SAMPLES, SAMPLE_RATE } from '../rtp/g711.ts';
import { describe, expect, test } from 'vitest';
import { Assembler } from './assembler.ts';
import { packetsOf, pulses, tone, type SyntheticVoice } from '../../test/support/synthetic-call.ts';

/** Maximum difference in milliseconds between the two channels of a recording. */
const MAX_SKEW_MS = 40;

/** Both channels of a call with two voices. */
function assembled(left: SyntheticVoice, right: SyntheticVoice, seconds: number) {
  const frames: Int16Array[] = [];
  const assembler = new Assembler((pcm) => frames.push(pcm.slice()));
  assembler.voice(0, 'left');
  assembler.voice(1, 'right');
  const packets = [...packetsOf(0, left, seconds), ...packetsOf(1, right, seconds)].filter(
    ({ at }) => at <= seconds * SAMPLE_RATE,
  );
  for (const packet of packets.sort((a, b) => a.at - b.at)) assembler.packet(packet);
  assembler.clock(seconds * SAMPLE_RATE, true);
  const samples = assembler.finish();
  const channel = (offset: number) => {
    const pcm = new Int16Array(frames.length * FRAME_SAMPLES);
    frames.forEach((frame, at) => {
      for (let index = 0; index < FRAME_SAMPLES; index += 1)
        pcm[at * FRAME_SAMPLES + index] = frame[2 * index + offset] ?? 0;
    });
    return pcm.subarray(0, samples);
  };
  return { left: channel(0), right: channel(1), samples };
}

/** Where each pulse starts, in samples. */
function onsets(pcm: Int16Array): number[] {
  const found: number[] = [];
  pcm.forEach((sample, at) => {
    if (Math.abs(sample) > 4_000 && at - (found.at(-1) ?? -SAMPLE_RATE) > SAMPLE_RATE / 2) found.push(at);
  });
  return found;
}

function worstSkewMs(left: Int16Array, right: Int16Array): { ms: number; pulses: number } {
  const [a, b] = [onsets(left), onsets(right)];
  const paired = a.flatMap((at) => {
    const nearest = b.reduce(
      (best, one) => (Math.abs(one - at) < Math.abs(best - at) ? one : best),
      Infinity,
    );
    return Math.abs(nearest - at) < SAMPLE_RATE / 2 ? [Math.abs(nearest - at)] : [];
  });
  return { ms: (Math.max(...paired) * 1000) / SAMPLE_RATE, pulses: paired.length };
}

/** Deterministic noise between 0 and 1. */
const noise = (n: number) => {
  const x = Math.sin(n * 12.9898) * 43_758.5453;
  return x - Math.floor(x);
};
const pulsed: SyntheticVoice = { law: 'PCMU', signal: pulses() };

describe('left and right stay synchronised', () => {
  test.each<[string, SyntheticVoice]>([
    ['the network is perfect', pulsed],
    ['one clock runs 300 ppm fast', { ...pulsed, drift: 300 }],
    ['one clock runs 300 ppm slow', { ...pulsed, drift: -300 }],
    ['one voice has 60 ms of jitter', { ...pulsed, delayMs: (n) => 60 * noise(n) }],
    [
      'the first packet of one voice was delayed by 200 ms',
      { ...pulsed, delayMs: (n) => (n === 0 ? 200 : 5) },
    ],
    ['one voice changes its SSRC every 3 s', { ...pulsed, newSsrcEvery: 150 }],
    [
      'one voice loses a tenth of its packets',
      { ...pulsed, loses: (n) => noise(n + 7) < 0.1 && n % 50 !== 0 },
    ],
    [
      'all of this is combined',
      { ...pulsed, law: 'PCMA', drift: 200, delayMs: (n) => 30 * noise(n), newSsrcEvery: 700 },
    ],
  ])('for a minute when %s', (_what, right) => {
    const { left, right: other, samples } = assembled(pulsed, right, 60);
    expect(samples).toBe(60 * SAMPLE_RATE);
    const skew = worstSkewMs(left, other);
    expect(skew.pulses).toBeGreaterThanOrEqual(55);
    expect(skew.ms).toBeLessThan(MAX_SKEW_MS / 2);
  });

  test('pauses of a voice are kept as silence of the same length', () => {
    const gaps = { ...pulsed, loses: (n: number) => n % 250 >= 100 };
    const { left, right } = assembled(pulsed, gaps, 20);
    expect(onsets(left)).toHaveLength(20);
    expect(onsets(right)).toHaveLength(8);
    expect(worstSkewMs(left, right).ms).toBeLessThan(5);
  });
});

test('each voice is on its own channel only', () => {
  const { left, right } = assembled({ law: 'PCMA', signal: tone(440) }, { law: 'PCMU', signal: () => 0 }, 3);
  expect(Math.max(...left)).toBeGreaterThan(7_500);
  expect(Math.max(...right)).toBeLessThan(10);
});

test('two voices on the right channel are mixed', () => {
  const frames: Int16Array[] = [];
  const assembler = new Assembler((pcm) => frames.push(pcm.slice()));
  assembler.voice(0, 'right');
  assembler.voice(1, 'right');
  const steady = (value: number): SyntheticVoice => ({ law: 'PCMU', signal: () => value });
  const packets = [...packetsOf(0, steady(1_000), 2), ...packetsOf(1, steady(2_000), 2)];
  for (const packet of packets.sort((a, b) => a.at - b.at)) assembler.packet(packet);
  assembler.finish();
  const middle = frames[50];
  expect(middle?.[0]).toBe(0);
  expect(middle?.[1]).toBeGreaterThan(2_900);
  expect(middle?.[1]).toBeLessThan(3_100);
});
