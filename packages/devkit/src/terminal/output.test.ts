import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createOutput } from './output.ts';

/** The terminal output for some lines, without colours. */
function shown(level: string, lines: [name: string, line: string][]): string[] {
  const written: string[] = [];
  const onLine = createOutput(level, (line) => written.push(stripVTControlCharacters(line).trimEnd()));
  lines.forEach(([name, line]) => onLine(name, line));
  return written;
}

const entry = (fields: object) => JSON.stringify({ level: 30, time: 1, pid: 2, hostname: 'h', ...fields });

test("a process's JSON line is shown as its name, message and fields", () => {
  const line = entry({ msg: 'call answered', callId: 17, agent: { ref: 'ada' } });
  expect(shown('info', [['realtime', line]])).toEqual([
    'realtime call answered callId=17 agent={"ref":"ada"}',
  ]);
});

test('warnings and errors are marked, and errors are shown with their stack', () => {
  const lines: [string, string][] = [
    ['media', entry({ level: 40, msg: 'late packet' })],
    ['web', entry({ level: 50, msg: 'unknown', err: { stack: 'Error: no\n    at x' } })],
  ];
  expect(shown('info', lines)).toEqual([
    'media    warning late packet',
    'web      error unknown \nError: no\n    at x',
  ]);
});

test('lines below the level are not shown', () => {
  const debug: [string, string] = ['sip', entry({ level: 20, msg: 'INVITE' })];
  expect(shown('info', [debug])).toEqual([]);
  expect(shown('debug', [debug])).toEqual(['sip      debug INVITE']);
});

test('fatal errors of PostgreSQL are always shown, errors of single statements are not', () => {
  const lines: [string, string][] = [
    ['postgres', 'LOG:  checkpoint starting'],
    ['postgres', 'ERROR:  duplicate key value'],
    ['postgres', 'FATAL:  could not write'],
  ];
  expect(shown('info', lines)).toEqual(['postgres FATAL:  could not write']);
  expect(shown('debug', lines)).toHaveLength(3);
});

test('a line that is not JSON or not a log entry is shown unchanged', () => {
  expect(shown('info', [['web', '▲ Next.js']])).toEqual(['web      ▲ Next.js']);
  expect(shown('info', [['web', '{"a":1}']])).toEqual(['web      {"a":1}']);
  expect(shown('info', [['web', '{broken']])).toEqual(['web      {broken']);
});
