import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLastUse } from './last-use.ts';

const STEP_MS = 60_000;
/** Longer than the delay before a write. */
const LATER_MS = 10_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function begin() {
  const written: Record<number, string>[] = [];
  const warnings: string[] = [];
  let refuse = false;
  const use = createLastUse({
    what: 'things',
    stepMs: STEP_MS,
    async write(uses) {
      if (refuse) throw new Error('no database');
      written.push(Object.fromEntries([...uses].map(([id, at]) => [id, at.toISOString().slice(11, 19)])));
    },
    log: { warn: (_: unknown, words?: string) => void warnings.push(words ?? '') },
  });
  return { use, written, warnings, refuseWrites: (next: boolean) => (refuse = next) };
}

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

test('uses within a short time are written together, once per interval', async () => {
  const { use, written } = begin();
  use.note(1, at('10:00:00'));
  use.note(2, at('10:00:01'));
  use.note(1, at('10:00:59'));
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(written).toEqual([{ 1: '10:00:00', 2: '10:00:01' }]);
  use.note(1, at('10:01:00'));
  use.note(2, at('10:01:00'));
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(written).toEqual([{ 1: '10:00:00', 2: '10:00:01' }, { 1: '10:01:00' }]);
});

test('stopping writes pending uses', async () => {
  const { use, written } = begin();
  use.note(1, at('10:00:00'));
  await use.stop();
  expect(written).toEqual([{ 1: '10:00:00' }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a failed write is logged and does not affect later ones', async () => {
  const { use, written, warnings, refuseWrites } = begin();
  refuseWrites(true);
  use.note(1, at('10:00:00'));
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(warnings).toEqual(['failed to record when things were last used']);
  refuseWrites(false);
  use.note(2, at('10:00:00'));
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(written).toEqual([{ 2: '10:00:00' }]);
});
