import { describe, expect, it } from 'vitest';
import {
  FloodGuard,
  MAX_ACCEPTED_SOURCES,
  MAX_WATCHED_SOURCES,
  QUIET_STRANGERS_PER_SECOND,
  STRANGERS_PER_SECOND,
} from './flood-guard.ts';

const limits = { ratePerSecond: 10, burst: 20, unlimited: new Set(['192.0.2.99']) };

describe('FloodGuard', () => {
  it('allows a burst, then the rate', () => {
    const guard = new FloodGuard(limits);
    const passed = Array.from({ length: 50 }, () => guard.allows('192.0.2.1', 0)).filter(Boolean).length;
    expect(passed).toBe(20);
    expect(guard.allows('192.0.2.1', 50)).toBe(false);
    expect(guard.allows('192.0.2.1', 100)).toBe(true);
    expect(guard.allows('192.0.2.1', 100)).toBe(false);
  });

  it('counts each source separately and exempts the listed ones', () => {
    const guard = new FloodGuard(limits);
    for (let i = 0; i < 100; i++) {
      guard.allows('192.0.2.1', 0);
      expect(guard.allows('192.0.2.99', 0)).toBe(true);
    }
    expect(guard.allows('192.0.2.2', 0)).toBe(true);
  });

  it('tracks a limited number of sources', () => {
    const guard = new FloodGuard({ ...limits, burst: 1 });
    for (const source of ['first', `s${MAX_WATCHED_SOURCES - 1}`]) guard.accepted(source);
    guard.allows('first', 0);
    for (let i = 0; i < MAX_WATCHED_SOURCES; i++) guard.allows(`s${i}`, 0);
    // The first one was evicted, so its bucket is full again.
    expect(guard.allows('first', 0)).toBe(true);
    expect(guard.allows(`s${MAX_WATCHED_SOURCES - 1}`, 0)).toBe(false);
  });

  /** Messages of these sources that pass in this time, sent evenly. */
  const passedOf = (guard: FloodGuard, sources: number, perSecond: number, seconds: number): number => {
    let passed = 0;
    for (let i = 0; i < perSecond * seconds; i++)
      if (guard.allows(`stranger-${i % sources}`, (i * 1000) / perSecond)) passed++;
    return passed;
  };
  const real = { ratePerSecond: 100, burst: 200, unlimited: new Set<string>() };

  it('bounds what all strangers send together, from few sources or from forged ones', () => {
    const most = (seconds: number) => (STRANGERS_PER_SECOND + QUIET_STRANGERS_PER_SECOND) * (seconds + 1);
    expect(passedOf(new FloodGuard(real), 50, 5_000, 10)).toBeLessThanOrEqual(most(10));
    expect(passedOf(new FloodGuard(real), 100_000, 5_000, 10)).toBeLessThanOrEqual(most(10));
  });

  it('lets a carrier with accepted calls, and the first call of another one, pass during a flood', () => {
    const guard = new FloodGuard(real);
    guard.accepted('carrier');
    passedOf(guard, 50, 5_000, 10);
    const passed = Array.from({ length: 100 }, () => guard.allows('carrier', 10_000)).filter(Boolean).length;
    expect(passed).toBe(100);
    expect(guard.allows('new carrier', 10_000)).toBe(true);
  });

  it('remembers a limited number of carriers', () => {
    const guard = new FloodGuard(real);
    for (let i = 0; i <= MAX_ACCEPTED_SOURCES; i++) guard.accepted(`carrier-${i}`);
    for (let i = 0; i < 1_000; i++) guard.allows(`stranger-${i}`, 0);
    expect(guard.allows('carrier-0', 0)).toBe(false);
    expect(guard.allows(`carrier-${MAX_ACCEPTED_SOURCES}`, 0)).toBe(true);
  });
});
