import { expect, test } from 'vitest';
import { digitsSearched, prefixesOf } from './prefixes.ts';

test.each([
  ['+44 (20) 7946-0123', '442079460123'],
  ['4420', '4420'],
  ['United Kingdom', null],
  ['Zone 1', null],
  ['+', null],
])('a search for %s is a number or a word', (text, digits) => {
  expect(digitsSearched(text)).toBe(digits);
});

test('the prefixes of a number, longest first, have at most 15 digits', () => {
  expect(prefixesOf('442')).toEqual(['442', '44', '4']);
  expect(prefixesOf('1'.repeat(20))).toHaveLength(15);
});
