import { expect, test } from 'vitest';
import { clientAddress, hasUntrustedForwarding } from './client-address.ts';

const PROXY = '10.0.0.2';
const from = (forwarded: string | null) => ({
  headers: new Headers({
    'x-clarion-peer': PROXY,
    ...(forwarded !== null && { 'x-forwarded-for': forwarded }),
  }),
});

test.each([
  { forwarded: null, proxies: 0, client: PROXY, untrusted: false },
  // As Next sets it.
  { forwarded: PROXY, proxies: 0, client: PROXY, untrusted: false },
  { forwarded: '203.0.113.9', proxies: 0, client: PROXY, untrusted: true },
  { forwarded: '203.0.113.9', proxies: 1, client: '203.0.113.9', untrusted: false },
  { forwarded: '203.0.113.9, 10.0.0.1', proxies: 1, client: '10.0.0.1', untrusted: true },
  { forwarded: '203.0.113.9, 10.0.0.1', proxies: 2, client: '203.0.113.9', untrusted: false },
  { forwarded: '203.0.113.9', proxies: 3, client: '203.0.113.9', untrusted: false },
])(
  'X-Forwarded-For $forwarded behind $proxies trusted proxies is from $client, untrusted: $untrusted',
  ({ forwarded, proxies, client, untrusted }) => {
    const env = { CLARION_TRUSTED_PROXIES: proxies };
    expect(clientAddress(from(forwarded), env)).toBe(client);
    expect(hasUntrustedForwarding(from(forwarded), env)).toBe(untrusted);
  },
);
