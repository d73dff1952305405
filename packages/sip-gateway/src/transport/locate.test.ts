import { describe, expect, it } from 'vitest';
import { parseUri } from '../message/uri.ts';
import type { Resolver } from './locate.ts';
import { Locator, locateNow, protocolOf } from './locate.ts';

function table(srv: Record<string, Awaited<ReturnType<Resolver['srv']>>>, hosts: Record<string, string[]>) {
  const asked: string[] = [];
  const resolver: Resolver = {
    srv: async (name) => {
      asked.push(name);
      const found = srv[name];
      if (found === undefined) throw new Error('ENOTFOUND');
      return found;
    },
    addresses: async (name) => {
      asked.push(name);
      const found = hosts[name];
      if (found === undefined) throw new Error('ENOTFOUND');
      return found;
    },
  };
  return { resolver, asked };
}

const uri = (text: string) => {
  const parsed = parseUri(text);
  if (parsed === null) throw new Error(text);
  return parsed;
};

describe('locating', () => {
  it('needs no DNS for an address, and uses maddr', () => {
    expect(locateNow(uri('sip:a@192.0.2.9'), 'udp')).toEqual({
      protocol: 'udp',
      address: '192.0.2.9',
      port: 5060,
    });
    expect(locateNow(uri('sip:a@h;maddr=192.0.2.8'), 'tls')).toMatchObject({
      address: '192.0.2.8',
      port: 5061,
    });
    expect(locateNow(uri('sip:a@h;maddr=192.0.2.8'), 'tls')?.host).toBe('h');
    expect(locateNow(uri('sip:a@h'), 'udp')).toBeNull();
  });

  it('takes the transport from the URI', () => {
    expect(protocolOf(uri('sip:h;transport=TCP'), 'udp')).toBe('tcp');
    expect(protocolOf(uri('sips:h;transport=tcp'), 'udp')).toBe('tls');
    expect(protocolOf(uri('sip:h;transport=sctp'), 'udp')).toBeNull();
  });

  it('orders SRV targets by priority and skips those without an address', async () => {
    const { resolver } = table(
      {
        '_sip._udp.carrier.example': [
          { name: 'b', port: 5062, priority: 20, weight: 1 },
          { name: 'gone', port: 1, priority: 5, weight: 1 },
          { name: 'a', port: 5061, priority: 10, weight: 1 },
        ],
      },
      { a: ['192.0.2.1'], b: ['192.0.2.2'] },
    );
    const peers = await new Locator(resolver, () => 0).locate(uri('sip:carrier.example'), 'udp');
    expect(peers.map(({ address, port }) => `${address}:${port}`)).toEqual([
      '192.0.2.1:5061',
      '192.0.2.2:5062',
    ]);
  });

  it('makes no SRV lookup if the URI has a port, and uses the default port without SRV records', async () => {
    const { resolver, asked } = table({}, { h: ['192.0.2.1'] });
    const locator = new Locator(resolver, () => 0);
    expect(await locator.locate(uri('sip:h:5099'), 'udp')).toMatchObject([{ port: 5099 }]);
    expect(asked).toEqual(['h']);
    expect(await locator.locate(uri('sip:h'), 'udp')).toMatchObject([{ port: 5060 }]);
  });

  it('caches a result for 30 seconds', async () => {
    const { resolver, asked } = table({}, { h: ['192.0.2.1'] });
    let now = 0;
    const locator = new Locator(resolver, () => now);
    await locator.locate(uri('sip:h:5099'), 'udp');
    await locator.locate(uri('sip:h:5099'), 'udp');
    expect(asked).toHaveLength(1);
    now = 31_000;
    await locator.locate(uri('sip:h:5099'), 'udp');
    expect(asked).toHaveLength(2);
  });

  it('rejects a name without an address', async () => {
    const { resolver } = table({}, {});
    await expect(new Locator(resolver, () => 0).locate(uri('sip:none'), 'udp')).rejects.toThrow('ENOTFOUND');
  });
});
