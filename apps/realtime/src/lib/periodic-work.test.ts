import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { PeriodicWork } from './periodic-work.ts';

const silent = pino({ level: 'silent' });

test('a task runs once at a time, whatever other tasks do', async () => {
  const work = new PeriodicWork(silent);
  const { promise: slow, resolve: finish } = Promise.withResolvers<void>();
  const slowly = vi.fn(() => slow);
  const quickly = vi.fn(async () => undefined);
  work.start('slow', slowly);
  work.start('slow', slowly);
  work.start('quick', quickly);
  expect(slowly).toHaveBeenCalledTimes(1);
  expect(quickly).toHaveBeenCalledTimes(1);
  finish();
  await work.settled();
  work.start('slow', slowly);
  expect(slowly).toHaveBeenCalledTimes(2);
  await work.settled();
});

test('is waited for with what it starts itself', async () => {
  const work = new PeriodicWork(silent);
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  let isDone = false;
  work.start('first', async () => {
    work.start('second', async () => {
      await promise;
      isDone = true;
    });
  });
  const settled = work.settled();
  finish();
  await settled;
  expect(isDone).toBe(true);
});

test('a failure is logged, and the task can be started again', async () => {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  const work = new PeriodicWork(pino(stream));
  work.start('queues', () => Promise.reject(new Error('no connection')));
  await work.settled();
  expect(lines).toMatchObject([
    { task: 'queues', msg: 'periodic task failed', err: { message: 'no connection' } },
  ]);
  const again = vi.fn(async () => undefined);
  work.start('queues', again);
  expect(again).toHaveBeenCalledTimes(1);
  await work.settled();
});
