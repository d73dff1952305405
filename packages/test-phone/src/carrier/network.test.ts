import { describe, expect, test } from 'vitest';
import { seeded } from '../random.ts';
import type { SipMessage } from '../sip/message.ts';
import { losing, losingFirst, repeating, rewriting, swapping, UnreliableWire } from './network.ts';

const options = (cseq: number): SipMessage => ({
  method: 'OPTIONS',
  uri: 'sip:a@b',
  headers: [
    ['Call-ID', 'one'],
    ['CSeq', `${cseq} OPTIONS`],
  ],
  body: '',
});

/** Which of these packets arrive, and in which order. */
function through(network: (packet: Buffer, go: () => void) => void, count: number): number[] {
  const arrived: number[] = [];
  for (let n = 0; n < count; n += 1) network(Buffer.alloc(0), () => arrived.push(n));
  return arrived;
}

describe('a network for audio', () => {
  test('loses the configured share, and the same packets for the same seed', () => {
    const first = through(losing(0.2, seeded(5)), 1_000);
    expect(first.length).toBeGreaterThan(750);
    expect(first.length).toBeLessThan(850);
    expect(through(losing(0.2, seeded(5)), 1_000)).toEqual(first);
  });

  test('swaps every nth packet with the one that follows', () => {
    expect(through(swapping(3), 7)).toEqual([0, 1, 3, 2, 4, 6, 5]);
  });
});

describe('a wire for SIP', () => {
  test('loses the first copy of each affected message, and passes the retransmission', () => {
    const sent: string[] = [];
    const wire = losingFirst(({ method }) => method === 'OPTIONS');
    for (const cseq of [1, 1, 2, 2]) wire.leave?.(options(cseq), (text) => sent.push(text));
    expect(sent.map((text) => /CSeq: (\d)/.exec(text)?.[1])).toEqual(['1', '2']);
  });

  test('duplicates and rewrites messages', () => {
    const sent: string[] = [];
    repeating.leave?.(options(1), (text) => sent.push(text));
    rewriting((text) => text.replace('Call-ID:', 'i:')).leave?.(options(2), (text) => sent.push(text));
    expect(sent).toHaveLength(3);
    expect(sent[0]).toBe(sent[1]);
    expect(sent[2]).toContain('\r\ni: one\r\n');
  });

  test('records when it last passed a message', () => {
    const random = seeded(1);
    const still = new UnreliableWire(random, { lost: 0, twice: 0, late: 0, mostDelayMs: 0 });
    const dead = new UnreliableWire(random, { lost: 1, twice: 0, late: 0, mostDelayMs: 0 });
    const before = [still.lastAt, dead.lastAt];
    const passed: string[] = [];
    still.arrive(options(1), () => passed.push('still'));
    dead.arrive(options(1), () => passed.push('dead'));
    expect(passed).toEqual(['still']);
    expect(still.lastAt).toBeGreaterThanOrEqual(before[0] ?? 0);
    expect(dead.lastAt).toBe(before[1]);
  });
});
