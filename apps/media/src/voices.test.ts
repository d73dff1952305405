import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { voiceWords } from '@clarion/protocol/voices';
import { expect, test } from 'vitest';
import { SAMPLE_RATE } from './rtp/g711.ts';
import { loadWord } from './voices.ts';

test('every word has a recording, and every recording is a word', async () => {
  const files = await readdir(join(import.meta.dirname, '../voices/en'));
  expect(files.toSorted()).toEqual(
    Object.keys(voiceWords)
      .map((word) => `${word}.ulaw`)
      .toSorted(),
  );
});

test('a recording has a plausible duration and the level of a voice', async () => {
  for (const [word, text] of Object.entries(voiceWords)) {
    const samples = await loadWord(word);
    const seconds = (samples?.length ?? 0) / SAMPLE_RATE;
    expect(seconds, word).toBeGreaterThan(0.15);
    expect(seconds, word).toBeLessThan(5);
    const power = (samples ?? new Int16Array()).reduce((sum, sample) => sum + sample * sample, 0);
    const dbfs = 10 * Math.log10(power / (samples?.length ?? 1) / 32_767 ** 2);
    if (text === '') expect(dbfs).toBeLessThan(-60);
    else expect(Math.abs(dbfs + 20), word).toBeLessThan(3);
  }
});

test('a name that is not a word is not looked up elsewhere', async () => {
  for (const word of ['../../package', 'no-such-word', '', 'a/b']) expect(await loadWord(word)).toBeNull();
});
