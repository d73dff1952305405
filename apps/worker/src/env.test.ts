import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readEnv } from './env.ts';

const least = {
  DATABASE_URL: 'postgresql://clarion@127.0.0.1:5432/clarion',
  CLARION_MASTER_KEY: Buffer.alloc(32).toString('base64'),
};

test('the required settings alone result in the documented defaults', () => {
  expect(readEnv(least)).toEqual({
    databaseUrl: least.DATABASE_URL,
    masterKeys: [least.CLARION_MASTER_KEY],
    baseUrl: 'http://127.0.0.1:3000',
    allowPrivateEgress: false,
    graphUrl: 'https://graph.facebook.com',
    operatorName: 'Clarion',
    pushUrls: {
      apns: 'https://api.push.apple.com',
      apnsSandbox: 'https://api.sandbox.push.apple.com',
      fcm: 'https://fcm.googleapis.com',
      onesignal: 'https://api.onesignal.com',
    },
    store: { provider: 'local', dataDir: resolve('.clarion'), s3: null },
    bind: '127.0.0.1',
    port: 3003,
    logLevel: 'info',
    smtpUrl: null,
    mailFrom: 'Clarion <clarion@localhost>',
  });
});

test('private egress is rejected in production, which is the default for a worker', () => {
  const allowed = { ...least, CLARION_ALLOW_PRIVATE_EGRESS: '1' };
  expect(readEnv({ ...allowed, CLARION_PRODUCTION: '0' }).allowPrivateEgress).toBe(true);
  expect(readEnv({ ...least, CLARION_ALLOW_PRIVATE_EGRESS: '' }).allowPrivateEgress).toBe(false);
  for (const env of [{}, { CLARION_PRODUCTION: '1' }, { NODE_ENV: 'development' }]) {
    expect(() => readEnv({ ...allowed, ...env })).toThrow(/CLARION_ALLOW_PRIVATE_EGRESS/);
  }
});

test('trial mode is rejected if other machines can reach the service', () => {
  const env = { ...least, CLARION_PRODUCTION: '0', CLARION_BASE_URL: 'https://calls.example.com' };
  expect(() => readEnv(env)).toThrow('CLARION_PRODUCTION');
});

test('older master keys follow the current one while keys rotate', () => {
  expect(readEnv({ ...least, CLARION_MASTER_KEY: 'new,old' }).masterKeys).toEqual(['new', 'old']);
});

test('missing and invalid settings are named', () => {
  expect(() => readEnv({})).toThrow(/DATABASE_URL[^]*CLARION_MASTER_KEY|CLARION_MASTER_KEY[^]*DATABASE_URL/);
  expect(() => readEnv({ ...least, CLARION_WORKER_PORT: '70000' })).toThrow(/CLARION_WORKER_PORT/);
});

test('access tokens are sent to another host than WhatsApp’s only if private egress is allowed', () => {
  const simulator = { ...least, CLARION_GRAPH_URL: 'http://127.0.0.1:4000/' };
  expect(() => readEnv(simulator)).toThrow(/CLARION_GRAPH_URL/);
  expect(() => readEnv({ ...least, CLARION_GRAPH_URL: 'ftp://graph.example' })).toThrow(/CLARION_GRAPH_URL/);
  const trial = { ...simulator, CLARION_PRODUCTION: '0', CLARION_ALLOW_PRIVATE_EGRESS: '1' };
  expect(readEnv(trial).graphUrl).toBe('http://127.0.0.1:4000');
  expect(readEnv({ ...least, CLARION_GRAPH_URL: '' }).graphUrl).toBe('https://graph.facebook.com');
});

test('credentials are sent to other push services than the real ones only if private egress is allowed', () => {
  for (const name of [
    'CLARION_APNS_URL',
    'CLARION_APNS_SANDBOX_URL',
    'CLARION_FCM_URL',
    'CLARION_ONESIGNAL_URL',
  ]) {
    const simulator = { ...least, [name]: 'http://127.0.0.1:4700/' };
    expect(() => readEnv(simulator)).toThrow(name);
    expect(() => readEnv({ ...least, [name]: 'ftp://push.example' })).toThrow(name);
    const trial = { ...simulator, CLARION_PRODUCTION: '0', CLARION_ALLOW_PRIVATE_EGRESS: '1' };
    expect(Object.values(readEnv(trial).pushUrls)).toContain('http://127.0.0.1:4700');
    expect(readEnv({ ...least, [name]: '' })).toEqual(readEnv(least));
  }
});
