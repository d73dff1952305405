import { describe, expect, test } from 'vitest';
import { readEnv } from './env.ts';

const least = {
  DATABASE_URL: 'postgresql://localhost/clarion',
  CLARION_MASTER_KEY: 'key',
  CLARION_MEDIA_SECRET: 'sixteen letters!',
};

describe('TURN', () => {
  test('is off by default and if the settings are empty', () => {
    expect(readEnv(least).turn).toBeNull();
    expect(readEnv({ ...least, CLARION_TURN_URLS: '', CLARION_TURN_SECRET: '' }).turn).toBeNull();
  });

  test('accepts several servers', () => {
    const CLARION_TURN_URLS = 'turn:a.example.com:3478?transport=udp, turns:a.example.com';
    expect(readEnv({ ...least, CLARION_TURN_URLS, CLARION_TURN_SECRET: 'north' }).turn).toEqual({
      urls: ['turn:a.example.com:3478?transport=udp', 'turns:a.example.com'],
      secret: 'north',
    });
  });

  test.each([
    ['servers without the secret', { CLARION_TURN_URLS: 'turn:a.example.com' }],
    ['the secret without servers', { CLARION_TURN_SECRET: 'north' }],
    ['a URL that is not a TURN server', { CLARION_TURN_URLS: 'https://a', CLARION_TURN_SECRET: 'north' }],
  ])('refuses %s', (_, given) => {
    expect(() => readEnv({ ...least, ...given })).toThrow('CLARION_TURN_');
  });
});

test('trial mode is rejected if other machines can reach the service', () => {
  const trial = { ...least, CLARION_PRODUCTION: '0' };
  expect(readEnv({ ...trial, CLARION_BIND: '127.0.0.1' }).bind).toBe('127.0.0.1');
  expect(() => readEnv({ ...trial, CLARION_BIND: '0.0.0.0' })).toThrow('CLARION_PRODUCTION');
});

test('another host than Meta gets the access tokens of lines only if private addresses are allowed', () => {
  const simulated = { ...least, CLARION_GRAPH_URL: 'http://127.0.0.1:4620/' };
  expect(readEnv(least).graphUrl).toBe('https://graph.facebook.com');
  expect(() => readEnv({ ...simulated, CLARION_PRODUCTION: '1' })).toThrow('CLARION_GRAPH_URL');
  const trial = { CLARION_PRODUCTION: '0', CLARION_ALLOW_PRIVATE_EGRESS: '1' };
  expect(readEnv({ ...simulated, ...trial }).graphUrl).toBe('http://127.0.0.1:4620');
});
