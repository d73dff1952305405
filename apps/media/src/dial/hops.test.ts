/** The addresses of carriers' host names, with a real name server. */
import { startDnsServer, type DnsServer, type SrvData } from '@clarion/testkit/peers/dns-server';
import type { TrunkTarget } from '@clarion/protocol/media';
import { beforeEach, describe, expect, test } from 'vitest';
import { testTrunk } from '../../test/support/media-fixture.ts';
import { isPublicAddress } from '../rtp/public-address.ts';
import { CarrierDns } from './carrier-dns.ts';
import { HopMemory } from './hop-memory.ts';
import { hopsOf, hopsOfTarget, MAX_HOPS, type Hop, type HopSources, type NoHop } from './hops.ts';
import { redirectTargets } from './redirect.ts';

let server: DnsServer;
let names: Record<string, string[]>;
let services: Record<string, SrvData[]>;
let sources: HopSources;

beforeEach(async () => {
  names = {};
  services = {};
  server = await startDnsServer(
    (name) => names[name] ?? null,
    (name) => services[name] ?? null,
  );
  sources = {
    dns: new CarrierDns({ family: 4, localNames: false, servers: [server.address] }),
    memory: new HopMemory(),
    maySendTo: isPublicAddress,
    random: () => 0.5,
  };
  return () => server.close();
});

const attempt = (change: Partial<TrunkTarget>, called = '4930555') => ({
  trunk: testTrunk(5060, { host: 'sip.carrier.test', ...change }),
  called,
  caller: '49',
  callerName: null,
});

async function all(hops: AsyncGenerator<Hop | NoHop>): Promise<string[]> {
  const found: string[] = [];
  for await (const hop of hops)
    found.push('reason' in hop ? hop.reason : `${hop.requestUri} → ${hop.proxy ?? 'the same'}`);
  return found;
}
const hops = (change: Partial<TrunkTarget>, called?: string) => all(hopsOf(attempt(change, called), sources));

describe('the hops of a trunk', () => {
  test('are the addresses of its host, with the name in the Request-URI', async () => {
    names['sip.carrier.test'] = ['93.184.215.14', '93.184.215.15'];
    expect(await hops({})).toEqual([
      'sip:4930555@sip.carrier.test:5060 → sip:sip.carrier.test:5060;maddr=93.184.215.14',
      'sip:4930555@sip.carrier.test:5060 → sip:sip.carrier.test:5060;maddr=93.184.215.15',
    ]);
  });

  test('need no look-up for an address', async () => {
    expect(await hops({ host: '93.184.215.14', transport: 'TCP' })).toEqual([
      'sip:4930555@93.184.215.14:5060;transport=tcp → the same',
    ]);
    expect(server.asked.size).toBe(0);
  });

  test('are those of its SRV records in their order, with the domain in the Request-URI and in the certificate', async () => {
    services['_sips._tcp.sip.carrier.test'] = [
      { name: 'b.test', port: 5062, priority: 20, weight: 1 },
      { name: 'a.test', port: 5061, priority: 10, weight: 1 },
    ];
    names['a.test'] = ['93.184.215.1'];
    names['b.test'] = ['93.184.215.2'];
    expect(await hops({ transport: 'TLS', useSrv: true })).toEqual([
      'sip:4930555@sip.carrier.test;transport=tls → sip:sip.carrier.test:5061;maddr=93.184.215.1;transport=tls',
      'sip:4930555@sip.carrier.test;transport=tls → sip:sip.carrier.test:5062;maddr=93.184.215.2;transport=tls',
    ]);
  });

  test('without SRV records use the trunk’s port', async () => {
    names['sip.carrier.test'] = ['93.184.215.14'];
    expect(await hops({ useSrv: true, port: 5070 })).toEqual([
      'sip:4930555@sip.carrier.test → sip:sip.carrier.test:5070;maddr=93.184.215.14',
    ]);
  });

  test('do not exist if the only SRV record says that there is no service', async () => {
    services['_sip._udp.sip.carrier.test'] = [{ name: '.', port: 0, priority: 0, weight: 0 }];
    names['sip.carrier.test'] = ['93.184.215.14'];
    expect(await hops({ useSrv: true })).toEqual(['host_not_found']);
  });

  test('are never private addresses, alone or among public ones, by name or by SRV', async () => {
    names['sip.carrier.test'] = ['10.0.0.1', '93.184.215.14'];
    names['inside.test'] = ['127.0.0.1'];
    services['_sip._udp.srv.test'] = [{ name: 'inside.test', port: 22, priority: 0, weight: 0 }];
    const destinations = [
      { host: 'inside.test', port: 5060, priority: 1, weight: 1 },
      { host: '169.254.169.254', port: 5060, priority: 2, weight: 1 },
      { host: '::1', port: 5060, priority: 3, weight: 1 },
      { host: 'localhost', port: 5060, priority: 4, weight: 1 },
    ];
    expect(await hops({ destinations })).toEqual([
      'host_private',
      'host_private',
      'host_private',
      'host_private',
      'host_not_found',
    ]);
    sources.dns = new CarrierDns({ family: 4, localNames: true, servers: [server.address] });
    expect(await hops({ host: 'localhost' })).toEqual(['host_private']);
    expect(await hops({ host: 'srv.test', useSrv: true })).toEqual(['host_private']);
  });

  test('may be private if the trunk is the operator’s own, but not those of its redirects', async () => {
    expect(await hops({ host: '10.0.0.1', platform: true })).toEqual([
      'sip:4930555@10.0.0.1:5060 → the same',
    ]);
    const redirected = async (contact: string) => {
      const [found] = redirectTargets(302, contact, 'UDP');
      if (!found) throw new Error(contact);
      return all(hopsOfTarget(found, attempt({ host: '10.0.0.1', platform: true }), sources));
    };
    expect(await redirected('<sip:1@10.0.0.2:5060>')).toEqual(['host_private']);
    expect(await redirected('<sip:1@10.0.0.1:5080>')).toEqual(['sip:1@10.0.0.1:5080 → the same']);
  });

  test('are limited in number', async () => {
    names['sip.carrier.test'] = Array.from({ length: 20 }, (_, index) => `93.184.215.${index + 1}`);
    const destinations = [{ host: 'sip.carrier.test', port: 5070, priority: 1, weight: 1 }];
    expect(await hops({ destinations })).toHaveLength(MAX_HOPS);
  });

  test('come last if they did not respond recently, and not at all while they asked us to wait', async () => {
    const destinations = [
      { host: '93.184.215.2', port: 5060, priority: 1, weight: 1 },
      { host: '93.184.215.3', port: 5060, priority: 2, weight: 1 },
    ];
    sources.memory.didNotRespond('udp 93.184.215.1:5060');
    sources.memory.retryAfter('udp 93.184.215.2:5060', 30);
    expect(await hops({ host: '93.184.215.1', destinations })).toEqual([
      'carrier_error',
      'sip:4930555@93.184.215.3:5060 → the same',
      'sip:4930555@93.184.215.1:5060 → the same',
    ]);
  });

  test('have user=phone, an escaped number, or the complete URI', async () => {
    const host = '93.184.215.1';
    const identity = { ...testTrunk(0).identity, userPhone: true };
    expect(await hops({ host, identity }, '9#44')).toEqual([
      'sip:9%2344@93.184.215.1:5060;user=phone → the same',
    ]);
    expect(await hops({ host }, 'sip:204@pbx.example')).toEqual([
      'sip:204@pbx.example → sip:93.184.215.1:5060',
    ]);
  });

  test.each(['a b', 'a>b', 'a;maddr=10.0.0.1', ''])('do not exist for the host %s', async (host) =>
    expect(await hops({ host })).toEqual(['host_not_found']),
  );
});

test('names are cached: many calls cause one look-up', async () => {
  names['sip.carrier.test'] = ['93.184.215.14'];
  await Promise.all(Array.from({ length: 20 }, () => hops({})));
  await hops({});
  expect(server.asked.get('sip.carrier.test 1')).toBe(1);
});

test('a name server that is silent delays a call by 2 s at most, and the next calls not at all', async () => {
  const silent = await startDnsServer(() => null);
  await silent.close();
  sources.dns = new CarrierDns({ family: 4, localNames: false, servers: [silent.address] });
  const started = performance.now();
  expect(await hops({})).toEqual(['host_not_found']);
  const first = performance.now() - started;
  expect(first).toBeLessThan(3_000);
  await hops({});
  expect(performance.now() - started - first).toBeLessThan(100);
});

describe('the target of a redirect', () => {
  const target = (contact: string, change: Partial<TrunkTarget> = {}) => {
    const [found] = redirectTargets(302, contact, 'UDP');
    if (!found) throw new Error(contact);
    return hopsOfTarget(found, attempt(change), sources);
  };

  test('is not followed to a private address', async () => {
    names['inside.test'] = ['192.168.0.1'];
    expect(await all(target('<sip:1@127.0.0.1>'))).toEqual(['host_private']);
    expect(await all(target('<sip:1@inside.test>'))).toEqual(['host_private']);
  });

  test('uses SRV records if the URI has no port', async () => {
    services['_sip._udp.other.test'] = [{ name: 'a.test', port: 5070, priority: 1, weight: 1 }];
    names['a.test'] = ['93.184.215.9'];
    expect(await all(target('<sip:1@other.test>'))).toEqual([
      'sip:1@other.test → sip:other.test:5070;maddr=93.184.215.9',
    ]);
  });

  test.each([
    ['<sip:1@sip.carrier.test:5090>', true],
    ['<sip:1@93.184.215.14>', true],
    ['<sip:1@93.184.215.77>', false],
    ['<sip:1@other.test:5060>', false],
  ])('%s gets the trunk’s credentials: %s', async (contact, trusted) => {
    names['sip.carrier.test'] = ['93.184.215.14'];
    names['other.test'] = ['93.184.215.20'];
    for await (const hop of target(contact)) expect(hop).toMatchObject({ trusted });
  });
});
