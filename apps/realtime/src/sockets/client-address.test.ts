import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { signedClient } from '@clarion/core/security/client-address';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

const masterKey = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const secrets = createSecretBox([masterKey(1)]);

function from(peer: string, named?: string): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  if (named !== undefined) request.headers['x-clarion-client'] = named;
  return clientAddress(request, secrets);
}

test('the address that the web process signed is used, wherever that process runs', () => {
  const named = signedClient(secrets, '203.0.113.9');
  expect(from('127.0.0.1', named)).toBe('203.0.113.9');
  expect(from('198.51.100.7', named)).toBe('203.0.113.9');
  const beforeRotation = signedClient(createSecretBox([masterKey(2)]), '203.0.113.9');
  expect(from('127.0.0.1', beforeRotation)).toBe('127.0.0.1');
});

test('a client of the same private network cannot forge another address', () => {
  const [, signature = ''] = signedClient(secrets, '203.0.113.9').split(' ');
  const forged = [
    '203.0.113.9',
    `203.0.113.10 ${signature}`,
    '203.0.113.9 x',
    `203.0.113.9 ${signature}x`,
    '',
  ];
  for (const named of forged) {
    expect(from('10.0.0.3', named)).toBe('10.0.0.3');
    expect(from('::ffff:10.0.0.3', named)).toBe('10.0.0.3');
    expect(from('127.0.0.1', named)).toBe('127.0.0.1');
  }
});

test('addresses of one IPv6 /64 count as one client', () => {
  expect(from('2001:db8:0:7::1')).toBe(from('2001:db8:0:7:ffff::2'));
  expect(from('2001:db8:0:7::1')).not.toBe(from('2001:db8:0:8::1'));
});
