import { expect, test } from 'vitest';
import {
  InFlightPushes,
  MAX_PUSHES,
  PUSHES_PER_CONSUMER,
  PUSHES_PER_SLOW_CONSUMER,
  SLOW_PUSH_MS,
} from './in-flight-pushes.ts';

const of = (consumerId: number, count: number) => Array.from({ length: count }, () => ({ consumerId }));

test('a consumer at its limit is skipped until half of its push notifications are recorded', () => {
  const inFlight = new InFlightPushes();
  inFlight.add(of(1, PUSHES_PER_CONSUMER));
  inFlight.add(of(2, 10));
  expect(inFlight.limits()).toEqual({
    count: MAX_PUSHES - PUSHES_PER_CONSUMER - 10,
    fullConsumers: [1],
    room: new Map([[2, PUSHES_PER_CONSUMER - 10]]),
    roomOfOthers: PUSHES_PER_CONSUMER,
  });
  const settled = of(1, PUSHES_PER_CONSUMER).map(({ consumerId }) => inFlight.settle(consumerId));
  expect(settled.flatMap((more, index) => (more ? [index + 1] : []))).toEqual([PUSHES_PER_CONSUMER / 2]);
  expect(inFlight.count).toBe(10);
});

test('a slow consumer gets few, also after a pause, until an attempt is quick', () => {
  const inFlight = new InFlightPushes();
  inFlight.add(of(1, 1));
  inFlight.attempted(1, SLOW_PUSH_MS + 1);
  inFlight.settle(1);
  expect(inFlight.limits()?.room).toEqual(new Map([[1, PUSHES_PER_SLOW_CONSUMER]]));
  inFlight.add(of(1, 1));
  inFlight.attempted(1, 50);
  inFlight.settle(1);
  expect(inFlight.limits()?.room).toEqual(new Map());
});

test('nothing is claimed while the worker has all that it may have', () => {
  const inFlight = new InFlightPushes();
  for (let consumerId = 1; consumerId <= MAX_PUSHES / PUSHES_PER_CONSUMER; consumerId += 1)
    inFlight.add(of(consumerId, PUSHES_PER_CONSUMER));
  expect(inFlight.limits()).toBeNull();
  expect(inFlight.settle(1)).toBe(true);
  expect(inFlight.limits()?.count).toBe(1);
});
