import { expect, test } from 'vitest';
import { envSchema } from './env.ts';

const least = { DATABASE_URL: 'postgresql://localhost/clarion', CLARION_MASTER_KEY: 'x' };
const allowed = { ...least, CLARION_ALLOW_PRIVATE_EGRESS: '1' };

test('private egress is refused in production, and allowed where `npm start` tries things out', () => {
  const reason = /private egress is for development/;
  expect(() => envSchema.parse({ ...allowed, NODE_ENV: 'production' })).toThrow(reason);
  const production = { NODE_ENV: 'production', CLARION_NODE_ENV: 'production' };
  expect(() => envSchema.parse({ ...allowed, ...production })).toThrow(reason);
  const started = { NODE_ENV: 'production', CLARION_NODE_ENV: 'development' };
  for (const env of [{}, { NODE_ENV: 'development' }, started]) {
    expect(envSchema.parse({ ...allowed, ...env }).CLARION_ALLOW_PRIVATE_EGRESS).toBe(true);
  }
  expect(envSchema.parse({ ...least, NODE_ENV: 'production' }).CLARION_ALLOW_PRIVATE_EGRESS).toBe(false);
});
