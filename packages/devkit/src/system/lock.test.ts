import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clarion-lock-'));
  path = join(dir, 'a.lock');
});
afterEach(() => rmSync(dir, { recursive: true }));

test('only one holder has a lock at a time', async () => {
  const events: string[] = [];
  const turn = (name: string) =>
    withLock(path, 'testing', async () => {
      events.push(`${name} in`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} out`);
    });
  await Promise.all([turn('a'), turn('b')]);
  expect(events).toEqual(['a in', 'a out', 'b in', 'b out']);
});

test('the lock of a process that has exited is acquired by another one', async () => {
  writeFileSync(path, '1 another process by then');
  expect(await withLock(path, 'testing', async () => 'done')).toBe('done');
});

test('the lock is released when the work fails', async () => {
  await expect(withLock(path, 'testing', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(path)).toBe(false);
});
