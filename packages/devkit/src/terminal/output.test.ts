import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createOutput } from './output.ts';

/** What the terminal shows of some lines, without colours. */
function shown(level: string, lines: [name: string, line: string][]): string[] {
  const written: string[] = [];
  const onLine = createOutput(level, (line) => written.push(stripVTControlCharacters(line).trimEnd()));
  lines.forEach(([name, line]) => onLine(name, line));
  return written;
}

const entry = (fields: object) => JSON.stringify({ level: 30, time: 1, pid: 2, hostname: 'h', ...fields });

test("a process's JSON line is shown as its sentence with its fields, behind the process's name", () => {
  const line = entry({ msg: 'call answered', callId: 17, agent: { ref: 'ada' } });
  expect(shown('info', [['realtime', line]])).toEqual([
    'realtime call answered callId=17 agent={"ref":"ada"}',
  ]);
});

test('a warning and an error say so, and an error shows its stack', () => {
  const lines: [string, string][] = [
    ['media', entry({ level: 40, msg: 'late packet' })],
    ['web', entry({ level: 50, msg: 'unknown', err: { stack: 'Error: no\n    at x' } })],
  ];
  expect(shown('info', lines)).toEqual([
    'media    warning late packet',
    'web      error unknown \nError: no\n    at x',
  ]);
});

test('what is below the level is not shown', () => {
  const debug: [string, string] = ['sip', entry({ level: 20, msg: 'INVITE' })];
  expect(shown('info', [debug])).toEqual([]);
  expect(shown('debug', [debug])).toEqual(['sip      debug INVITE']);
});

test("PostgreSQL is heard when it must be, and its statements' errors are the callers' business", () => {
  const lines: [string, string][] = [
    ['postgres', 'LOG:  checkpoint starting'],
    ['postgres', 'ERROR:  duplicate key value'],
    ['postgres', 'FATAL:  could not write'],
  ];
  expect(shown('info', lines)).toEqual(['postgres FATAL:  could not write']);
  expect(shown('debug', lines)).toHaveLength(3);
});

test('a line that is no JSON, or not a log entry, is shown as it is', () => {
  expect(shown('info', [['web', '▲ Next.js']])).toEqual(['web      ▲ Next.js']);
  expect(shown('info', [['web', '{"a":1}']])).toEqual(['web      {"a":1}']);
  expect(shown('info', [['web', '{broken']])).toEqual(['web      {broken']);
});
