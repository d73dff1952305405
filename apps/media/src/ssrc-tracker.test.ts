import { describe, expect, test } from 'vitest';
import type { ReceiveCounters } from './endpoint/mediasoup-endpoint.ts';
import { isStalled } from './ssrc-tracker.ts';

/** Readings of a leg: bytes received, and packets accepted by its producer. */
const readings = (...pairs: [number, number][]): ReceiveCounters[] =>
  pairs.map(([wireBytes, packets]) => ({ wireBytes, packets, voiceBytes: packets * 172 }));

describe('a leg has a voice without a producer', () => {
  test('when packets arrived in every window and none reached the producer', () => {
    expect(isStalled(readings([1_000, 5], [1_860, 5], [2_720, 5]))).toBe(true);
    // One packet of 60 ms in each window.
    expect(isStalled(readings([1_000, 5], [1_492, 5], [1_984, 5]))).toBe(true);
  });
});

describe('a leg has no such voice', () => {
  test.each([
    ['its packets reach the producer', readings([1_000, 5], [1_860, 10], [2_720, 15])],
    ['nothing arrives', readings([1_000, 5], [1_000, 5], [1_000, 5])],
    ['only RTCP arrives', readings([1_000, 5], [1_100, 5], [1_200, 5])],
    ['a packet arrived between two readings, once', readings([1_000, 5], [1_492, 5], [1_984, 7])],
    ['it becomes silent', readings([1_000, 5], [1_860, 5], [1_860, 5])],
  ])('when %s', (_what, given) => {
    expect(isStalled(given)).toBe(false);
  });

  test('when it was handed over or taken back in the meantime', () => {
    const [first = null, second = null] = readings([1_000, 5], [1_860, 5]);
    expect(isStalled([first, null, second])).toBe(false);
    expect(isStalled([null, first, second])).toBe(false);
  });
});
