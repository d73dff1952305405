import { describe, expect, it } from 'vitest';
import { Addresses } from '../transport/addresses.ts';
import { Locator } from '../transport/locate.ts';
import type { Peer } from '../transport/transport.ts';
import { destinationInDialog, resolveDestination } from './destination.ts';

const PUBLIC_IP = '198.51.100.1';
const NAMES: Record<string, string[]> = {
  'inside.example': ['10.0.0.5', '127.0.0.1'],
  'mixed.example': ['10.0.0.5', '203.0.113.9'],
};
const now = () => 0;
const context = {
  addresses: new Addresses('192.0.2.200', PUBLIC_IP, now),
  isOpen: () => false,
  locator: new Locator(
    { srv: () => Promise.resolve([]), addresses: (name) => Promise.resolve(NAMES[name] ?? []) },
    now,
  ),
  portOf: () => 5060,
};

/** The addresses that a request is sent to if `hop` is the first hop of a dialog whose last message came from `peer`. */
async function sentTo(peer: Peer, hop: string): Promise<string[]> {
  const path = () => ({ uri: hop, routes: [], nextHop: hop });
  const destination = destinationInDialog(context, { path, peer, protocol: 'udp' });
  const peers =
    destination.peer === null ? await resolveDestination(context, destination) : [destination.peer];
  return peers.map(({ protocol, address, port }) => `${protocol} ${address} ${port}`);
}

const outside: Peer = { protocol: 'udp', address: '203.0.113.1', port: 5062 };
const back = ['udp 203.0.113.1 5062'];

describe('a request in a dialog with a remote party outside', () => {
  it.each([
    'sip:127.0.0.1:6379;transport=tcp',
    'sip:localhost:6379;transport=tcp',
    'sip:a@[::1]:9022',
    'sip:0.0.0.0:6379',
    'sip:[::]:6379',
    'sip:[::ffff:127.0.0.1]:6379',
    'sip:[::ffff:7f00:1]:6379',
    'sip:10.1.2.3;lr',
    'sip:192.168.1.1',
    'sip:172.20.0.1',
    'sip:100.64.0.1',
    'sip:169.254.169.254:80;transport=tcp',
    'sip:[fe80::1]',
    'sip:[febf::1]',
    'sip:[fd00::1]',
    'sip:[::ffff:10.0.0.1]',
    'sip:carrier.example;maddr=10.0.0.1',
    `sip:${PUBLIC_IP}:6379;transport=tcp`,
    'sip:192.0.2.200:6379',
    'sip:inside.example:6379;transport=tcp',
    'sip:a@carrier.example;maddr=inside.example',
  ])('is sent to the source of its last message, not to %s', async (hop) => {
    expect(await sentTo(outside, hop)).toEqual(back);
  });

  it.each([
    ['sip:203.0.113.7:5070', ['udp 203.0.113.7 5070']],
    ['sip:[2001:db8::7]:5070;transport=tcp', ['tcp 2001:db8::7 5070']],
    ['sip:mixed.example:5070', ['udp 203.0.113.9 5070']],
  ])('is sent to %s outside', async (hop, expected) => {
    expect(await sentTo(outside, hop)).toEqual(expected);
  });
});

describe('a request in a dialog with a remote party inside', () => {
  it.each(['10.0.0.7', '127.0.0.1', '::ffff:10.0.0.7', '::1', 'fe80::1%eth0', PUBLIC_IP])(
    'at %s is sent to internal addresses too',
    async (address) => {
      const peer: Peer = { protocol: 'udp', address, port: 5062 };
      expect(await sentTo(peer, 'sip:10.0.0.5:5070')).toEqual(['udp 10.0.0.5 5070']);
      expect(await sentTo(peer, 'sip:inside.example:5070')).toEqual([
        'udp 10.0.0.5 5070',
        'udp 127.0.0.1 5070',
      ]);
    },
  );
});
