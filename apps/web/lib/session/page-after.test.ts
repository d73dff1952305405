import { expect, test } from 'vitest';
import { pageAfter } from './page-after.ts';

test('signing in continues to the requested page, and only to a page of the dashboard', () => {
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
