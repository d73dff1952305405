import { describe, expect, it } from 'vitest';
import { FloodGuard, MAX_WATCHED_SOURCES } from './flood-guard.ts';

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
    guard.allows('first', 0);
    for (let i = 0; i < MAX_WATCHED_SOURCES; i++) guard.allows(`s${i}`, 0);
    // The first one was evicted, so its bucket is full again.
    expect(guard.allows('first', 0)).toBe(true);
    expect(guard.allows(`s${MAX_WATCHED_SOURCES - 1}`, 0)).toBe(false);
  });
});
