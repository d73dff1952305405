/** The spoken words of announcements (clip `{ word }`): voices/README.md. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode } from './rtp/g711.ts';

const FOLDER = join(import.meta.dirname, '../voices/en');
/** Keeps a clip's word inside the folder. */
const WORD = /^[a-z0-9-]{1,64}$/;

const loaded = new Map<string, Promise<Int16Array | null>>();

/**
 * A word's samples, 8 kHz mono linear PCM; read once and then kept (all of them together are about 400 kB).
 *
 * @returns null when there is no such word
 */
export function loadWord(word: string): Promise<Int16Array | null> {
  const known = loaded.get(word);
  if (known) return known;
  const samples = WORD.test(word) ? read(word) : Promise.resolve(null);
  // Only what is there is kept: nobody can fill the map with words that are not.
  loaded.set(word, samples);
  void samples.then((found) => found ?? loaded.delete(word));
  return samples;
}

async function read(word: string): Promise<Int16Array | null> {
  try {
    return decode('PCMU', await readFile(join(FOLDER, `${word}.ulaw`)));
  } catch {
    return null;
  }
}
