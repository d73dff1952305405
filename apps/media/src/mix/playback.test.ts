import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode } from '../rtp/g711.ts';
import { PcmAudio } from '../rtp/pcm-audio.ts';
import { ToneGenerator } from '../rtp/tone.ts';
import { Playback } from './playback.ts';

/** Samples whose values identify their position. */
const sound = (length: number, first: number): PcmAudio =>
  new PcmAudio(Int16Array.from({ length }, (_, index) => first + index));

async function playing(
  sounds: (PcmAudio | null)[],
  loop = false,
): Promise<{ playback: Playback; ends: boolean[] }> {
  const ends: boolean[] = [];
  const playback = new Playback('p', loop, Promise.resolve(sounds), (played) => ends.push(played));
  await Promise.resolve();
  return { playback, ends };
}

test('clips of any length are joined without a gap, and the end is reported once, after the last frame', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.boolean(), async (each, asPcm) => {
      let first = 1;
      const sounds = each.map((length) => {
        const made = sound(length, first);
        first += length;
        return made;
      });
      const { playback, ends } = await playing(sounds);
      const heard: number[] = [];
      for (;;) {
        const frame = asPcm ? playback.pcm() : playback.frame('PCMU');
        if (!frame) break;
        expect(ends).toEqual([]);
        expect(frame.length).toBe(160);
        heard.push(...(frame instanceof Int16Array ? frame : decode('PCMU', frame)));
      }
      expect(ends).toEqual([true]);
      expect(playback.frame('PCMU')).toBeNull();
      expect(ends).toEqual([true]);
      const wanted = new Int16Array(Math.ceil((first - 1) / 160) * 160);
      for (let index = 0; index < first - 1; index += 1) wanted[index] = index + 1;
      expect(heard).toEqual([...(asPcm ? wanted : decode('PCMU', encode('PCMU', wanted)))]);
    }),
    { numRuns: 50 },
  );
});

test('a loop starts again at its first sample and never ends', async () => {
  const { playback, ends } = await playing([sound(100, 1), sound(130, 101)], true);
  const heard: number[] = [];
  for (let frame = 0; frame < 50; frame += 1) heard.push(...(playback.pcm() ?? []));
  expect(heard).toEqual(Array.from({ length: 8_000 }, (_, index) => (index % 230) + 1));
  expect(ends).toEqual([]);
});

describe('an unavailable clip', () => {
  test('is reported immediately, and none of the other clips is played', async () => {
    const { playback, ends } = await playing([sound(160, 1), null]);
    expect(ends).toEqual([false]);
    expect(playback.state).toBe('unavailable');
    expect(playback.frame('PCMA')).toBeNull();
  });

  test('makes a loop play the hold tone', async () => {
    const { playback, ends } = await playing([null], true);
    const hold = new ToneGenerator('hold');
    expect(playback.frame('PCMA')).toEqual(hold.frame('PCMA'));
    expect(playback.frame('PCMA')).toEqual(hold.frame('PCMA'));
    expect(ends).toEqual([]);
  });
});

test('playback is silent and does not advance until its clips are loaded, and reports no end once abandoned', async () => {
  const ends: boolean[] = [];
  const loaded = Promise.withResolvers<PcmAudio[]>();
  const playback = new Playback('p', false, loaded.promise, (played) => ends.push(played));
  expect(playback.frame('PCMA')).toBeNull();
  loaded.resolve([sound(160, 1)]);
  await loaded.promise;
  expect(playback.pcm()?.[0]).toBe(1);
  playback.abandon();
  expect(playback.pcm()).toBeNull();
  expect(ends).toEqual([]);
});
