import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressSet } from './cidr.ts';
import { SourceLock } from './source-lock.ts';

test('the first packet from an allowed address decides, and nobody else is heard after it', () => {
  const source = fc.record({
    address: fc.constantFrom('192.0.2.1', '192.0.2.200', '198.51.100.7', '203.0.113.9'),
    port: fc.integer({ min: 1_024, max: 1_030 }),
  });
  fc.assert(
    fc.property(fc.array(source, { maxLength: 50 }), (packets) => {
      const lock = new SourceLock(['192.0.2.0/24'], { address: '198.51.100.7', port: 4_000 });
      const heard = packets.filter(({ address, port }) => lock.accepts(address, port));
      expect(new Set(heard.map(({ address, port }) => `${address}:${port}`)).size).toBeLessThanOrEqual(1);
      expect(heard.some(({ address }) => address === '203.0.113.9')).toBe(false);
      const first = packets.find(({ address }) => address !== '203.0.113.9');
      expect(lock.locked).toEqual(first ?? null);
    }),
  );
});

test('a new description opens the lock for its address, and no longer for the old one', () => {
  const lock = new SourceLock([], { address: '192.0.2.1', port: 1 });
  expect(lock.accepts('192.0.2.1', 5)).toBe(true);
  lock.reopen({ address: '192.0.2.2', port: 1 });
  expect(lock.accepts('192.0.2.1', 5)).toBe(false);
  expect(lock.accepts('::ffff:192.0.2.2', 9)).toBe(true);
  expect(lock.locked).toEqual({ address: '192.0.2.2', port: 9 });
});

test('CIDRs of both families, bare addresses, and nonsense that allows nobody', () => {
  const set = addressSet(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7', 'nonsense', '10.0.0.0/99', '']);
  expect(set.has('10.200.1.1')).toBe(true);
  expect(set.has('11.0.0.1')).toBe(false);
  expect(set.has('2001:db8::1')).toBe(true);
  expect(set.has('192.0.2.7')).toBe(true);
  expect(set.has('nonsense')).toBe(false);
});

test('port 0 is nobody’s source', () => {
  const lock = new SourceLock(['192.0.2.0/24'], null);
  expect(lock.accepts('192.0.2.1', 0)).toBe(false);
  expect(lock.locked).toBeNull();
});
