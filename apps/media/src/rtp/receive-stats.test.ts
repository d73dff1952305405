import { expect, test } from 'vitest';
import { ReceiveStats } from './receive-stats.ts';

const packet = (sequenceNumber: number, ssrc = 1) => ({
  payloadType: 8,
  marker: false,
  sequenceNumber: sequenceNumber & 0xffff,
  timestamp: sequenceNumber * 160,
  ssrc,
  payload: Buffer.alloc(160),
});

test('loss is counted across a wrap of the sequence number, and a late packet is not lost', () => {
  const stats = new ReceiveStats();
  const order = [65_533, 65_534, 65_537, 65_536, 65_540];
  order.forEach((sequence, index) => stats.received(packet(sequence), index * 20));
  expect(stats.packets).toBe(5);
  expect(stats.lost).toBe(3);
});

test('packets that arrive at a constant rate have no jitter, others do', () => {
  const steady = new ReceiveStats();
  const unsteady = new ReceiveStats();
  for (let n = 0; n < 100; n += 1) {
    steady.received(packet(n), n * 20);
    unsteady.received(packet(n), n * 20 + (n % 2) * 10);
  }
  expect(steady.jitterMs).toBeLessThan(0.1);
  expect(unsteady.jitterMs).toBeGreaterThan(5);
});

test('a new SSRC is not counted as loss', () => {
  const stats = new ReceiveStats();
  stats.received(packet(1), 0);
  stats.received(packet(9_000, 2), 20);
  expect(stats.lost).toBe(0);
  expect(stats.ssrcChanges).toBe(1);
  expect(stats.ssrc).toBe(2);
});

test('packets that the other endpoint received are not counted as loss', () => {
  const stats = new ReceiveStats();
  for (const sequence of [1, 2, 4]) stats.received(packet(sequence), sequence * 20);
  stats.resume();
  for (const sequence of [120, 121, 123]) stats.received(packet(sequence), sequence * 20);
  expect(stats.packets).toBe(6);
  expect(stats.lost).toBe(2);
  expect(stats.ssrcChanges).toBe(0);
  expect(stats.jitterMs).toBeLessThan(0.1);
});
