import { expect, test } from 'vitest';
import { readRange } from './byte-range.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=2-', { start: 2, end: 9 }],
  ['bytes=2-100', { start: 2, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-100', { start: 0, end: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-2', null],
  ['bytes=0-1,4-5', null],
  ['bytes=-', null],
  ['items=0-1', null],
  ['bytes=a-b', null],
  [null, null],
])('%s of ten bytes', (header, expected) => {
  expect(readRange(header, 10)).toEqual(expected);
});

test('every range of an empty file is unsatisfiable', () => {
  expect(readRange('bytes=0-', 0)).toBe('unsatisfiable');
});
