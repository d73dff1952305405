import type { CallAfterStep, Pending } from '@clarion/core/call-engine/commit';
import { afterEach, expect, test, vi } from 'vitest';
import { LatestSteps } from './latest-steps.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Compared by identity only. */
const after = (tenantRef: string) => ({ tenantRef }) as CallAfterStep;
const pending = (outboxId: bigint, callId = 1): Pending => ({
  outboxId,
  callId,
  effects: [],
  channelType: 'SIP',
  after: after(String(outboxId)),
});

test('a step is the latest until the next one of the same call', () => {
  const steps = new LatestSteps();
  const first = pending(1n);
  const second = pending(2n);
  const afterFirst = steps.committed(first);
  expect(afterFirst()).toBe(first.after);
  const afterSecond = steps.committed(second);
  steps.committed(pending(3n, 2));
  expect(afterFirst()).toBeNull();
  expect(afterSecond()).toBe(second.after);
  steps.done(first);
  expect(afterSecond()).toBe(second.after);
});

test('an earlier step whose effects still run does not become the latest again', () => {
  const steps = new LatestSteps();
  const afterFirst = steps.committed(pending(1n));
  const second = pending(2n);
  steps.committed(second);
  steps.done(second);
  expect(afterFirst()).toBeNull();
});

test('after a while the call must be read, because another node may have stepped it', () => {
  vi.useFakeTimers();
  const steps = new LatestSteps();
  const first = pending(1n);
  const afterFirst = steps.committed(first);
  vi.advanceTimersByTime(249);
  expect(afterFirst()).toBe(first.after);
  vi.advanceTimersByTime(1);
  expect(afterFirst()).toBeNull();
});
