import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { ClipCache, type ClipCacheOptions } from './clip-cache.ts';

const log = pino({ level: 'silent' });
const bytesOf = (samples: number): Buffer => Buffer.alloc(samples * 2, 1);

function library(read: ClipCacheOptions['read'], more: Partial<ClipCacheOptions> = {}): ClipCache {
  return new ClipCache({ read, log, ...more });
}

test('a file is read once, however many ask for it at once and later', async () => {
  let reads = 0;
  const clips = library(async () => {
    reads += 1;
    return bytesOf(160);
  });
  const [first, second] = await Promise.all([clips.load({ file: 'a' }), clips.load({ file: 'a' })]);
  expect(first?.pcm.length).toBe(160);
  expect(second).toBe(first);
  expect(await clips.load({ file: 'a' })).toBe(first);
  expect(reads).toBe(1);
});

test('samples are read as 16-bit little-endian, a last odd byte is left out', async () => {
  const clips = library(() => Promise.resolve(Buffer.from([0x01, 0x00, 0xff, 0xff, 0x00, 0x80, 0x77])));
  expect([...((await clips.load({ file: 'a' }))?.pcm ?? [])]).toEqual([1, -1, -32_768]);
});

test('what was asked for longest ago is forgotten first, and memory stays within the limit', async () => {
  const reads: string[] = [];
  const clips = library(
    async (key) => {
      reads.push(key);
      return bytesOf(1_000);
    },
    { maxCacheBytes: 8_000 },
  );
  for (const file of ['a', 'b', 'a', 'c', 'a', 'b']) await clips.load({ file });
  expect(reads).toEqual(['a', 'b', 'c', 'b']);
  expect(clips.cachedBytes).toBeLessThanOrEqual(8_000);
});

describe('what cannot be had is null, and asked for again the next time:', () => {
  test.each<[string, ClipCacheOptions['read']]>([
    ['a file that is not there', () => Promise.resolve(null)],
    ['an empty file', () => Promise.resolve(Buffer.alloc(0))],
    ['a store that is away', () => Promise.reject(new Error('away'))],
    ['a store that never answers', () => new Promise<null>(() => undefined)],
  ])('%s', async (_name, read) => {
    let reads = 0;
    const clips = library(
      (key, max) => {
        reads += 1;
        return read(key, max);
      },
      { loadTimeoutMs: 20 },
    );
    expect(await clips.load({ file: 'a' })).toBeNull();
    expect(await clips.load({ file: 'a' })).toBeNull();
    expect(reads).toBe(2);
    expect(clips.cachedBytes).toBe(0);
  });

  test('a word that nobody recorded', async () => {
    expect(await library(() => Promise.resolve(null)).load({ word: 'no-such-word' })).toBeNull();
  });
});

test('a word is one of the recorded ones', async () => {
  const sound = await library(() => Promise.resolve(null)).load({ word: '1' });
  expect(sound?.pcm.length).toBeGreaterThan(1_000);
});
