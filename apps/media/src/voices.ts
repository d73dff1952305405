/** The spoken words of announcements (clip `{ word }`): see voices/README.md. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode } from './rtp/g711.ts';

const FOLDER = join(import.meta.dirname, '../voices/en');
/** Keeps a clip's word inside the folder. */
const WORD = /^[a-z0-9-]{1,64}$/;

const loaded = new Map<string, Promise<Int16Array | null>>();

/**
 * The samples of a word, 8 kHz mono linear PCM. Read once and then cached (about 400 kB for all words).
 *
 * @returns null if there is no such word
 */
export function loadWord(word: string): Promise<Int16Array | null> {
  const known = loaded.get(word);
  if (known) return known;
  const samples = WORD.test(word) ? read(word) : Promise.resolve(null);
  // Only existing words are cached, so that the map cannot grow.
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
