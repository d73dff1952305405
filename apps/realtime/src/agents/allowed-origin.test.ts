import { expect, test } from 'vitest';
import { isAllowedOrigin } from './allowed-origin.ts';

const base = 'https://calls.example.com';
const allowed = ['https://app.example.com', 'http://localhost:5173'];

test('without a list every page may connect, and native apps always may', () => {
  expect(isAllowedOrigin('https://anywhere.example', [], base)).toBe(true);
  expect(isAllowedOrigin(undefined, allowed, base)).toBe(true);
});

test('with a list, pages of its origins and of the service itself may connect', () => {
  expect(isAllowedOrigin('https://app.example.com', allowed, base)).toBe(true);
  expect(isAllowedOrigin('http://localhost:5173', allowed, base)).toBe(true);
  expect(isAllowedOrigin(base, allowed, `${base}/`)).toBe(true);
});

test.each([
  'https://app.example.com.evil.example',
  'https://app.example.com:8443',
  'http://app.example.com',
  'https://sub.app.example.com',
  'http://calls.example.com',
  'null',
  '',
])('any other page may not connect: %s', (origin) =>
  expect(isAllowedOrigin(origin, allowed, base)).toBe(false),
);

test('on a loopback interface the service has several names, at its own port', () => {
  const own = 'http://localhost:3000';
  expect(isAllowedOrigin('http://127.0.0.1:3000', allowed, own)).toBe(true);
  expect(isAllowedOrigin('http://127.0.0.1:3001', allowed, own)).toBe(false);
  expect(isAllowedOrigin('http://localhost:3000', allowed, base)).toBe(false);
});
