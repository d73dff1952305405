import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LimitedWarnings } from './limited-warnings.ts';

let lines: Record<string, unknown>[];
let warnings: LimitedWarnings;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      const { address, count, msg } = JSON.parse(chunk.toString());
      lines.push({ address, count, msg });
      done();
    },
  });
  warnings = new LimitedWarnings(pino(stream));
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('the first warning is logged immediately, the others of the minute as one line with their count', () => {
  for (let host = 1; host <= 500; host += 1) warnings.warn({ address: `192.0.2.${host}` }, 'refused');
  expect(lines).toEqual([{ address: '192.0.2.1', msg: 'refused' }]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(1)).toEqual([{ address: '192.0.2.500', count: 499, msg: 'refused' }]);
  // The next minute begins with that line.
  warnings.warn({ address: '192.0.2.7' }, 'refused');
  expect(lines).toHaveLength(2);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(2)).toEqual([{ address: '192.0.2.7', count: 1, msg: 'refused' }]);
  vi.advanceTimersByTime(60_000);
});

test('each cause has its own limit, and a quiet minute ends it', () => {
  warnings.warn({ address: 'a' }, 'one');
  warnings.warn({ address: 'b' }, 'another');
  vi.advanceTimersByTime(60_000);
  warnings.warn({ address: 'c' }, 'one');
  expect(lines.map(({ address }) => address)).toEqual(['a', 'b', 'c']);
  vi.advanceTimersByTime(60_000);
});
