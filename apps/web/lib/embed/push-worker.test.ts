import { expect, test } from 'vitest';
import { phonePage } from './push-worker.ts';

const allowed = ['https://app.example.com'];

test('a click opens a page of an allowed origin', () => {
  expect(phonePage('https://app.example.com/desk?x=1', allowed)).toBe('https://app.example.com/desk?x=1');
});

test.each([
  undefined,
  '',
  '/desk',
  'https://app.example.com.evil.example/',
  'http://app.example.com/',
  'javascript:alert(1)',
  'https://app.example.com@evil.example/',
  ['https://app.example.com/'],
])('and no other page: %s', (asked) => {
  expect(phonePage(asked, allowed)).toBeNull();
});
