import { expect, test } from 'vitest';
import { iceServersFor, TURN_CREDENTIAL_SECONDS } from './ice-servers.ts';

const urls = ['turn:turn.example.com:3478?transport=udp', 'turns:turn.example.com:5349'];

test('credentials expire after an hour and have the signature that coturn checks', () => {
  const now = new Date((1_433_895_918 - TURN_CREDENTIAL_SECONDS) * 1000 + 999);
  // printf '1433895918:42' | openssl dgst -sha1 -hmac north -binary | base64
  expect(iceServersFor({ urls, secret: 'north' }, 42, now)).toEqual([
    { urls, username: '1433895918:42', credential: '8hkOk8lMEGIAHCUTV0jaMshFjSw=' },
  ]);
  expect(TURN_CREDENTIAL_SECONDS).toBe(3600);
});

test('without TURN there are no servers', () => {
  expect(iceServersFor(null, 42, new Date())).toEqual([]);
});
