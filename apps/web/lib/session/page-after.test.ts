import { expect, test } from 'vitest';
import { pageAfter } from './page-after.ts';

test('signing in leads to the page that was asked for, and only ever to one of ours', () => {
  expect(pageAfter('/app/users?role=OWNER')).toBe('/app/users?role=OWNER');
  expect(pageAfter('/app')).toBe('/app');
  for (const elsewhere of [
    undefined,
    ['/app/users', '/app'],
    '//evil.example/app',
    '/\\evil.example',
    'https://evil.example/app',
    'javascript:alert(1)',
    '/app/../docs',
    '/apple',
    '',
  ]) {
    expect(pageAfter(elsewhere)).toBe('/app');
  }
});
