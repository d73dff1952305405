import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

function from(peer: string, named?: string): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  if (named !== undefined) request.headers['x-clarion-client'] = named;
  return clientAddress(request);
}

test('the address in the header is used when the web process is on this machine or a private network', () => {
  expect(from('127.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
  expect(from('::ffff:10.0.0.3', '203.0.113.9')).toBe('203.0.113.9');
  expect(from('fd00::3', '203.0.113.9')).toBe('203.0.113.9');
});

test('a connection from outside is known by its own address, whatever its header says', () => {
  expect(from('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
  expect(from('2001:db8::7', '203.0.113.9')).toBe('2001:db8::7');
});

test('a connection without the header is known by its own address', () => {
  expect(from('127.0.0.1')).toBe('127.0.0.1');
});
