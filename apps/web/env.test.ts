import { expect, test } from 'vitest';
import { envSchema } from './env.ts';

const least = { DATABASE_URL: 'postgresql://localhost/clarion', CLARION_MASTER_KEY: 'x' };
const allowed = { ...least, CLARION_ALLOW_PRIVATE_EGRESS: '1' };

test('without CLARION_PRODUCTION a process runs in production mode, where private egress is rejected', () => {
  expect(envSchema.parse(least)).toMatchObject({
    CLARION_PRODUCTION: true,
    CLARION_ALLOW_PRIVATE_EGRESS: false,
  });
  for (const env of [
    {},
    { CLARION_PRODUCTION: '' },
    { CLARION_PRODUCTION: '1' },
    { NODE_ENV: 'development' },
  ]) {
    expect(() => envSchema.parse({ ...allowed, ...env })).toThrow(
      /private addresses are not allowed in production/,
    );
  }
});

test('private egress is allowed in trial mode', () => {
  // `npm start` sets NODE_ENV to production in trial mode too.
  const started = { ...allowed, NODE_ENV: 'production', CLARION_PRODUCTION: '0' };
  expect(envSchema.parse(started).CLARION_ALLOW_PRIVATE_EGRESS).toBe(true);
});

test('a process that other machines can reach does not start in trial mode', () => {
  const trial = { ...least, CLARION_PRODUCTION: '0' };
  const loopback = [
    { CLARION_BIND: '127.0.0.2', CLARION_BASE_URL: 'http://localhost:3000' },
    { CLARION_APP_URL: 'http://[::1]:3000' },
  ];
  for (const env of loopback) expect(envSchema.parse({ ...trial, ...env }).CLARION_PRODUCTION).toBe(false);
  const reachable = [
    { CLARION_BIND: '0.0.0.0' },
    { CLARION_BIND: '127.evil.example.com' },
    { CLARION_BASE_URL: 'https://calls.example.com' },
    { CLARION_APP_URL: 'http://localhost.example.com' },
  ];
  for (const env of reachable) {
    expect(() => envSchema.parse({ ...trial, ...env })).toThrow(/0 requires .* loopback/);
    expect(envSchema.parse({ ...least, ...env }).CLARION_PRODUCTION).toBe(true);
  }
});
