import { expect, test } from 'vitest';
import { readSignedClient, signedClient, subscriberOf } from './client-address.ts';
import { createSecretBox } from './secret-box.ts';

test('a subscriber is an IPv4 address, also if mapped to IPv6, or an IPv6 /64', () => {
  expect(subscriberOf('192.0.2.1')).toBe('192.0.2.1');
  expect(subscriberOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(subscriberOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::');
  for (const text of ['', 'no address', '192.0.2.1, 192.0.2.2']) expect(subscriberOf(text)).toBe('unknown');
});

test('an address with a zone is accepted', () => {
  expect(subscriberOf('fe80::1%eth0')).toBe('fe80::');
});

test('a signed address is accepted with any listed master key, and no other text is', () => {
  const [older, newer] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  const signer = createSecretBox([older ?? '']);
  const reader = createSecretBox([newer ?? '', older ?? '']);
  const header = signedClient(signer, '2001:db8:1:2::');
  expect(readSignedClient(reader, header)).toBe('2001:db8:1:2::');
  expect(readSignedClient(createSecretBox([newer ?? '']), header)).toBeNull();
  for (const forged of [undefined, '', ' ', '192.0.2.1', header.replace('2001', '2002'), [header]]) {
    expect(readSignedClient(reader, forged)).toBeNull();
  }
});
