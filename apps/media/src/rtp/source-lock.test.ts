import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressSet } from './cidr.ts';
import { REPLACED_QUIET_MS, SourceLock } from './source-lock.ts';

/** A lock whose remote party has announced `address:port`. */
function announced(cidrs: readonly string[], address: string, port: number): SourceLock {
  const lock = new SourceLock(cidrs);
  lock.announce({ address, port }, true, 0);
  return lock;
}

test('the lock takes the first packet from an allowed address and then accepts no other source', () => {
  const source = fc.record({
    address: fc.constantFrom('192.0.2.1', '192.0.2.200', '198.51.100.7', '203.0.113.9'),
    port: fc.integer({ min: 1_024, max: 1_030 }),
  });
  fc.assert(
    fc.property(fc.array(source, { maxLength: 50 }), (packets) => {
      const lock = announced(['192.0.2.0/24'], '198.51.100.7', 4_000);
      const heard = packets.filter(({ address, port }) => lock.accepts(address, port, 1));
      expect(new Set(heard.map(({ address, port }) => `${address}:${port}`)).size).toBeLessThanOrEqual(1);
      expect(heard.some(({ address }) => address === '203.0.113.9')).toBe(false);
      const first = packets.find(({ address }) => address !== '203.0.113.9');
      expect(lock.locked).toEqual(first ?? null);
    }),
  );
});

describe('after a new session description', () => {
  test('the lock accepts its address, and no longer the old one', () => {
    const lock = announced([], '192.0.2.1', 1);
    expect(lock.accepts('192.0.2.1', 5, 0)).toBe(true);
    expect(lock.announce({ address: '192.0.2.2', port: 1 }, true, 0)).toBe(true);
    expect(lock.accepts('192.0.2.1', 5, 0)).toBe(false);
    expect(lock.accepts('::ffff:192.0.2.2', 9, 0)).toBe(true);
    expect(lock.locked).toEqual({ address: '192.0.2.2', port: 9 });
  });

  test.each([
    ['another port', { address: '192.0.2.1', port: 4_002 }],
    ['another address of the trunk', { address: '192.0.2.2', port: 4_000 }],
  ])('that announces %s, a packet from the old source does not restore it', (_what, next) => {
    const lock = announced(['192.0.2.0/24'], '192.0.2.1', 4_000);
    expect(lock.accepts('192.0.2.1', 4_000, 0)).toBe(true);
    lock.announce(next, true, 1_000);
    expect(lock.accepts('192.0.2.1', 4_000, 1_120)).toBe(false);
    expect(lock.accepts(next.address, next.port, 1_140)).toBe(true);
    expect(lock.accepts('192.0.2.1', 4_000, 1_160)).toBe(false);
    expect(lock.locked).toEqual(next);
  });

  test('behind NAT, neither the old source nor the old announcement is restored, and the new source is learned', () => {
    const lock = announced(['192.0.2.0/24'], '198.51.100.1', 10_000);
    expect(lock.accepts('192.0.2.9', 40_000, 0)).toBe(true);
    lock.announce({ address: '198.51.100.1', port: 10_002 }, true, 1_000);
    expect(lock.accepts('192.0.2.9', 40_000, 1_100)).toBe(false);
    expect(lock.accepts('198.51.100.1', 10_000, 1_100)).toBe(false);
    expect(lock.accepts('192.0.2.9', 40_002, 1_120)).toBe(true);
    expect(lock.locked).toEqual({ address: '192.0.2.9', port: 40_002 });
  });

  test('that announces the first address again, the source learned for it is accepted again', () => {
    const lock = announced(['192.0.2.0/24'], '198.51.100.1', 10_000);
    lock.accepts('192.0.2.9', 40_000, 0);
    lock.announce({ address: '198.51.100.1', port: 10_002 }, true, 1_000);
    lock.accepts('192.0.2.9', 40_002, 1_100);
    lock.announce({ address: '198.51.100.1', port: 10_000 }, true, 2_000);
    expect(lock.accepts('192.0.2.9', 40_002, 2_010)).toBe(false);
    expect(lock.accepts('192.0.2.9', 40_000, 2_020)).toBe(true);
  });

  test('that announces the same address and port, the source is kept', () => {
    const lock = announced([], '192.0.2.1', 4_000);
    lock.accepts('192.0.2.1', 5_000, 0);
    expect(lock.announce({ address: '192.0.2.1', port: 4_000 }, true, 10)).toBe(false);
    expect(lock.locked).toEqual({ address: '192.0.2.1', port: 5_000 });
  });

  test('a source that keeps sending without a new one is accepted but not locked, until the new one replaces it', () => {
    const lock = announced([], '192.0.2.1', 4_000);
    lock.accepts('192.0.2.1', 4_000, 0);
    lock.announce({ address: '192.0.2.1', port: 4_002 }, true, 0);
    expect(lock.accepts('192.0.2.1', 4_000, REPLACED_QUIET_MS - 1)).toBe(false);
    expect(lock.accepts('192.0.2.1', 4_000, REPLACED_QUIET_MS)).toBe(true);
    expect(lock.locked).toBeNull();
    expect(lock.accepts('192.0.2.1', 4_002, REPLACED_QUIET_MS + 10)).toBe(true);
    expect(lock.accepts('192.0.2.1', 4_000, REPLACED_QUIET_MS + 20)).toBe(false);
  });
});

test('an announced address that must not be used is not accepted as a source', () => {
  const lock = new SourceLock(['192.0.2.0/24']);
  lock.announce({ address: '10.0.0.5', port: 4_000 }, false, 0);
  expect(lock.accepts('10.0.0.5', 4_000, 0)).toBe(false);
  expect(lock.accepts('192.0.2.1', 4_000, 0)).toBe(true);
});

test('an address set contains CIDR ranges of both families and single addresses, and ignores invalid entries', () => {
  const set = addressSet(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7', 'nonsense', '10.0.0.0/99', '']);
  expect(set.has('10.200.1.1')).toBe(true);
  expect(set.has('11.0.0.1')).toBe(false);
  expect(set.has('2001:db8::1')).toBe(true);
  expect(set.has('192.0.2.7')).toBe(true);
  expect(set.has('nonsense')).toBe(false);
});

test('port 0 is never accepted as a source', () => {
  const lock = new SourceLock(['192.0.2.0/24']);
  expect(lock.accepts('192.0.2.1', 0, 0)).toBe(false);
  expect(lock.locked).toBeNull();
});

test('the source address of the answer belongs to the trunk, whatever is announced', () => {
  const lock = announced([], '198.51.100.7', 4_000);
  expect(lock.isOfTrunk('10.0.0.5')).toBe(false);
  expect(lock.accepts('10.0.0.5', 4_000, 1)).toBe(false);
  lock.answeredFrom('10.0.0.5');
  expect(lock.isOfTrunk('10.0.0.5')).toBe(true);
  lock.announce({ address: '10.0.0.9', port: 4_000 }, false, 2);
  expect(lock.accepts('10.0.0.9', 4_000, 3)).toBe(false);
  expect(lock.accepts('10.0.0.5', 4_000, 3)).toBe(true);
});
