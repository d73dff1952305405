/** Networks of addresses: whether every address in them is public. */
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { isPublicAddress, isPublicNetwork } from './public-address.ts';

/** Beginnings of special ranges, and of public ones next to them. */
const octets = fc.oneof(
  fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)),
  fc.constantFrom<[number, number, number]>(
    [9, 255, 255],
    [10, 0, 0],
    [11, 0, 0],
    [100, 63, 255],
    [100, 64, 0],
    [127, 255, 255],
    [128, 0, 0],
    [172, 31, 255],
    [172, 32, 0],
    [192, 0, 0],
    [192, 0, 1],
    [192, 0, 2],
    [192, 88, 99],
    [198, 19, 255],
    [198, 20, 0],
    [203, 0, 113],
    [223, 255, 255],
    [224, 0, 0],
  ),
);

test('an IPv4 network is public exactly if each of its addresses is', () => {
  fc.assert(
    fc.property(octets, fc.nat(255), fc.integer({ min: 24, max: 32 }), (first, last, bits) => {
      const network = `${[...first, last].join('.')}/${bits}`;
      const size = 2 ** (32 - bits);
      const start = last - (last % size);
      const addresses = Array.from({ length: size }, (_, offset) => [...first, start + offset].join('.'));
      expect(isPublicNetwork(network), network).toBe(addresses.every(isPublicAddress));
    }),
    { numRuns: 500 },
  );
});

test('a public IPv6 network contains no address that is not public', () => {
  const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
  const beginning = fc.constantFrom(
    [0x2001],
    [0x2001, 0xdb8],
    [0x2002],
    [0x2606, 0x4700],
    [0x3fff],
    [0xfd00],
    [],
  );
  fc.assert(
    fc.property(beginning, groups, groups, fc.integer({ min: 48, max: 128 }), (head, one, other, bits) => {
      const address = new ipaddr.IPv6([...head, ...one.slice(head.length)]);
      const network = `${address.toNormalizedString()}/${bits}`;
      // Another address of the network: its prefix, and random bits behind it.
      const inside = new ipaddr.IPv6(
        other.map((part, index) => {
          const kept = Math.min(16, Math.max(0, bits - index * 16));
          const mask = kept === 0 ? 0 : (0xffff << (16 - kept)) & 0xffff;
          return ((address.parts[index] ?? 0) & mask) | (part & ~mask & 0xffff);
        }),
      );
      if (isPublicNetwork(network)) expect(isPublicAddress(inside.toString()), network).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('wider networks, and text that is no network, are not public', () => {
  for (const wide of [
    '198.41.0.0/23',
    '0.0.0.0/0',
    '2606:4700::/47',
    '::/0',
    '8.8.8.0',
    '8.8.8.8/33',
    'carrier/24',
    '',
  ]) {
    expect(isPublicNetwork(wide), wide).toBe(wide === '8.8.8.0');
  }
});
