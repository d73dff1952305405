import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { BackgroundWork } from './background-work.ts';

test('is waited for when the process stops, and a failure is logged with its fields', async () => {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  const background = new BackgroundWork(pino(stream));
  expect(background.isIdle).toBe(true);
  const { promise, reject } = Promise.withResolvers<void>();
  background.start('end a call', { callId: 7 }, () => promise);
  expect(background.isIdle).toBe(false);
  const settled = background.settled();
  reject(new Error('no connection'));
  await settled;
  expect(background.isIdle).toBe(true);
  expect(lines).toMatchObject([
    { callId: 7, msg: 'failed to end a call', err: { message: 'no connection' } },
  ]);
});
