import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { ClipCache, type ClipCacheOptions } from './clip-cache.ts';

const log = pino({ level: 'silent' });
const bytesOf = (samples: number): Buffer => Buffer.alloc(samples * 2, 1);

function library(read: ClipCacheOptions['read'], more: Partial<ClipCacheOptions> = {}): ClipCache {
  return new ClipCache({ read, log, ...more });
}

test('a file is read once, for concurrent and for later requests', async () => {
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

test('samples are read as 16-bit little-endian, and a trailing odd byte is ignored', async () => {
  const clips = library(() => Promise.resolve(Buffer.from([0x01, 0x00, 0xff, 0xff, 0x00, 0x80, 0x77])));
  expect([...((await clips.load({ file: 'a' }))?.pcm ?? [])]).toEqual([1, -1, -32_768]);
});

test('the least recently used file is evicted first, and memory stays within the limit', async () => {
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

describe('null is returned, and the next request tries again, for', () => {
  test.each<[string, ClipCacheOptions['read']]>([
    ['a file that does not exist', () => Promise.resolve(null)],
    ['an empty file', () => Promise.resolve(Buffer.alloc(0))],
    ['a store that is unavailable', () => Promise.reject(new Error('unavailable'))],
    ['a store that never responds', () => new Promise<null>(() => undefined)],
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

  test('a word that does not exist', async () => {
    expect(await library(() => Promise.resolve(null)).load({ word: 'no-such-word' })).toBeNull();
  });
});

test('a spoken word is loaded from the recordings', async () => {
  const sound = await library(() => Promise.resolve(null)).load({ word: '1' });
  expect(sound?.pcm.length).toBeGreaterThan(1_000);
});
