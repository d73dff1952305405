import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import pino from 'pino';
import { afterEach, expect, test } from 'vitest';
import { raisePriority } from './priority.ts';

const log = pino({ level: 'silent' });
const { PRIORITY_HIGH, PRIORITY_NORMAL } = constants.priority;
const isPermitted = process.getuid?.() === 0;
const hasGroups = existsSync('/proc/self/autogroup');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** @param detached in a session of its own, as `npm start` and systemd start services */
function start(detached: boolean): number {
  const child = spawn('sleep', ['60'], { detached, stdio: 'ignore' });
  children.push(child);
  if (child.pid === undefined) throw new Error('sleep did not start');
  return child.pid;
}

const niceOfGroup = (pid: number | 'self'): number =>
  Number(/ nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1]);

test.runIf(isPermitted)('a service is preferred to the processes of other sessions', () => {
  const pid = start(true);
  raisePriority(pid, log);
  expect(getPriority(pid)).toBe(PRIORITY_HIGH);
  if (hasGroups) expect(niceOfGroup(pid)).toBe(PRIORITY_HIGH);
});

test.runIf(isPermitted)('the other processes of a session keep their priority', () => {
  const pid = start(false);
  const before = hasGroups ? niceOfGroup('self') : PRIORITY_NORMAL;
  raisePriority(pid, log);
  expect(getPriority(pid)).toBe(PRIORITY_HIGH);
  if (hasGroups) expect(niceOfGroup('self')).toBe(before);
});

test('a process that does not exist is no error', () => {
  expect(() => raisePriority(2 ** 22, log)).not.toThrow();
});
