import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BY_FILE, NOT_PLAYED, adapt } from './replay/differences.ts';
import { play } from './replay/play.ts';
import { readTranscript } from './replay/transcript.ts';

const FOLDER = new URL('./transcripts/', import.meta.url);
const names = readdirSync(FOLDER)
  .filter((file) => /^\d\d-.*\.txt$/.test(file))
  .map((file) => file.slice(0, -'.txt'.length))
  .sort();

describe('recordings of drachtio-server', () => {
  const played = names.filter((name) => !(name in NOT_PLAYED));

  it.each(played)('%s: the gateway sends the same to both sides', { timeout: 20_000 }, async (name) => {
    const transcript = readTranscript(new URL(`${name}.txt`, FOLDER));
    const adapted = adapt(name, transcript.entries);
    const { met, problems } = await play(adapted.entries, adapted);
    expect(problems).toEqual([]);
    expect(met).toBeGreaterThan(2);
  });

  it('every exception names an existing recording', () => {
    for (const name of [...Object.keys(NOT_PLAYED), ...Object.keys(BY_FILE)]) expect(names).toContain(name);
  });
});
