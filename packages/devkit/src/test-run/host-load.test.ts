import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchHost } from './host-load.ts';

const START = new Date('2026-01-01T12:00:00Z').getTime();

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the stolen share is the stolen part of the wanted processor time between the two moments', () => {
  // user nice system idle iowait irq softirq steal, in ticks since the start of the machine
  const ticks = [100, 0, 50, 1000, 20, 0, 0, 5];
  const add = (user: number, idle: number, steal: number) => {
    ticks[0] = (ticks[0] ?? 0) + user;
    ticks[3] = (ticks[3] ?? 0) + idle;
    ticks[7] = (ticks[7] ?? 0) + steal;
    vi.advanceTimersByTime(1000);
  };
  const host = watchHost(() => `cpu  ${ticks.join(' ')} 0 0\ncpu0 1 2 3\n`);
  add(100, 100, 0);
  add(75, 100, 25);
  add(90, 0, 10);
  expect(host.stolenShare(START, START + 1000)).toBe(0);
  expect(host.stolenShare(START + 1000, START + 2000)).toBe(0.25);
  expect(host.stolenShare(START, START + 3000)).toBeCloseTo(35 / 300);
  host.stop();
});

test('without /proc/stat the stolen share is 0', () => {
  const host = watchHost(() => {
    throw new Error('ENOENT');
  });
  vi.advanceTimersByTime(3000);
  expect(host.stolenShare(START, START + 3000)).toBe(0);
  host.stop();
});
