import { expect, test } from 'vitest';
import { envSchema } from './env.ts';

const least = { DATABASE_URL: 'postgresql://localhost/clarion', CLARION_MASTER_KEY: 'x' };
const allowed = { ...least, CLARION_ALLOW_PRIVATE_EGRESS: '1' };

test('a process without CLARION_PRODUCTION is in production, where private egress is refused', () => {
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
    expect(() => envSchema.parse({ ...allowed, ...env })).toThrow(/private egress is refused in production/);
  }
});

test('private egress is allowed in trial mode', () => {
  // `next start` sets NODE_ENV to production in trial mode too.
  const started = { ...allowed, NODE_ENV: 'production', CLARION_PRODUCTION: '0' };
  expect(envSchema.parse(started).CLARION_ALLOW_PRIVATE_EGRESS).toBe(true);
});
