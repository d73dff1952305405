import { expect, test } from 'vitest';
import { createNotifier } from './notifier.ts';
import type { Notification } from './notifier.ts';

const to = (channel: string) => (payload: string | number) => ({ channel, payload: String(payload) });
const calls = to('calls');
const payloadsOf = (batches: (readonly Notification[])[]) =>
  batches.map((batch) => batch.map(({ payload }) => payload));

test('notifications of one moment are one batch, in order', async () => {
  const batches: (readonly Notification[])[] = [];
  const notifier = createNotifier(async (batch) => batches.push(batch));
  const sent = [1, 2, 3].map((id) => notifier.notify(calls(id)));
  await Promise.all(sent);
  expect(payloadsOf(batches)).toEqual([['1', '2', '3']]);
  await notifier.notify(calls(4));
  expect(payloadsOf(batches)).toEqual([['1', '2', '3'], ['4']]);
});

test('what arrives while a batch is being sent waits for it', async () => {
  const batches: (readonly Notification[])[] = [];
  const gate = Promise.withResolvers<void>();
  const notifier = createNotifier(async (batch) => {
    batches.push(batch);
    if (batches.length === 1) await gate.promise;
  });
  const first = notifier.notify(calls(1));
  while (batches.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const later = [notifier.notify(calls(2)), notifier.notify(calls(3))];
  gate.resolve();
  await Promise.all([first, ...later]);
  expect(payloadsOf(batches)).toEqual([['1'], ['2', '3']]);
});

test('equal notifications are in different batches: PostgreSQL would deliver the later one in the place of the first', async () => {
  const batches: (readonly Notification[])[] = [];
  const notifier = createNotifier(async (batch) => batches.push(batch));
  for (const payload of ['on call', 'available', 'on call']) void notifier.notify(to('agent')(payload));
  await notifier.notify(to('other')('on call'));
  expect(payloadsOf(batches)).toEqual([
    ['on call', 'available'],
    ['on call', 'on call'],
  ]);
});

test('a failed batch rejects its own notifications only', async () => {
  let attempts = 0;
  const notifier = createNotifier(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('no connection');
  });
  const first = notifier.notify(calls(1));
  const second = notifier.notify(calls(1));
  await expect(first).rejects.toThrow('no connection');
  await second;
  await notifier.sent();
  expect(attempts).toBe(2);
});

test('a large number is sent in several batches', async () => {
  const sizes: number[] = [];
  const notifier = createNotifier(async (batch) => sizes.push(batch.length));
  for (let id = 0; id < 1_001; id += 1) void notifier.notify(calls(id));
  await notifier.sent();
  expect(sizes).toEqual([500, 500, 1]);
});
