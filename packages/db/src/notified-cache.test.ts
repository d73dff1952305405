import { expect, test } from 'vitest';
import { createNotifiedCache } from './notified-cache.ts';

const MAX_AGE_MS = 60_000;

test('a value is loaded once, also by concurrent requests, until it is evicted', async () => {
  const cache = createNotifiedCache<string>({ isCurrent: () => true, maxAgeMs: MAX_AGE_MS });
  let loads = 0;
  const load = async () => `load ${(loads += 1)}`;
  expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).toEqual(['load 1', 'load 1']);
  expect(await cache.get('a', load)).toBe('load 1');
  cache.evict((_, key) => key === 'b');
  expect([cache.peek('a'), cache.peek('b')]).toEqual(['load 1', undefined]);
  expect(await cache.get('a', load)).toBe('load 1');
  cache.evict((value) => value === 'load 1');
  expect(await cache.get('a', load)).toBe('load 2');
});

test('a value that was read before a change and arrives after it is not cached', async () => {
  const cache = createNotifiedCache<string>({ isCurrent: () => true, maxAgeMs: MAX_AGE_MS });
  const reads: ((value: string) => void)[] = [];
  const load = () => new Promise<string>((resolve) => reads.push(resolve));
  const early = cache.get('a', load);
  cache.evict(() => true);
  const late = cache.get('a', load);
  reads[1]?.('new');
  expect(await late).toBe('new');
  reads[0]?.('old');
  expect(await early).toBe('old');
  expect(await cache.get('a', load)).toBe('new');
});

test('while notifications are not received, every request reads', async () => {
  let isCurrent = true;
  const cache = createNotifiedCache<number>({ isCurrent: () => isCurrent, maxAgeMs: MAX_AGE_MS });
  let loads = 0;
  const load = async () => (loads += 1);
  await cache.get('a', load);
  isCurrent = false;
  expect(cache.peek('a')).toBeUndefined();
  expect(await cache.get('a', load)).toBe(2);
  expect(await cache.get('a', load)).toBe(3);
});

test('a value is cached no longer than its age allows', async () => {
  const cache = createNotifiedCache<number>({ isCurrent: () => true, maxAgeMs: 0 });
  let loads = 0;
  const load = async () => (loads += 1);
  expect([await cache.get('a', load), await cache.get('a', load)]).toEqual([1, 2]);
});
