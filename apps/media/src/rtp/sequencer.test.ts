import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RtpSequencer, type PacketNumbers } from './sequencer.ts';
import { sequenceDistance, timestampDistance } from './packet.ts';

type Step =
  | { kind: 'generated' }
  | { kind: 'relayed'; ssrc: number; skip: number }
  | { kind: 'adopt'; sequenceNumber: number; timestamp: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ kind: 'generated' }),
  fc.record({
    kind: fc.constant('relayed' as const),
    ssrc: fc.integer({ min: 1, max: 3 }),
    skip: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 300 }) },
    ),
  }),
  fc.record({
    kind: fc.constant('adopt' as const),
    sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
    timestamp: fc.integer({ min: 0, max: 0xffffffff }),
  }),
);

test('for any sequence of sources, sequence numbers increase by one (plus the source’s loss) and timestamps always increase', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 0, max: 0xffff }), (steps, seed) => {
      const sequencer = new RtpSequencer({ ssrc: 1, sequenceNumber: seed, timestamp: 0xffffff00 });
      const sources = new Map<number, { sequenceNumber: number; timestamp: number }>();
      let last = sequencer.position;
      let nowMs = 1_000;
      let leftOut = 0;
      for (const one of steps) {
        nowMs += 20;
        let numbers: PacketNumbers | null = null;
        let skip = 0;
        if (one.kind === 'adopt') {
          sequencer.continueFrom({ ssrc: 2, ...one }, nowMs);
          last = sequencer.position;
          continue;
        }
        if (one.kind === 'generated') {
          numbers = sequencer.generated(nowMs);
        } else {
          const from = sources.get(one.ssrc) ?? {
            sequenceNumber: one.ssrc * 777,
            timestamp: one.ssrc * 99_999,
          };
          skip = one.skip;
          from.sequenceNumber = (from.sequenceNumber + 1 + skip) & 0xffff;
          from.timestamp = (from.timestamp + 160 * (1 + skip)) >>> 0;
          sources.set(one.ssrc, from);
          numbers = sequencer.relayed({ ssrc: one.ssrc, ...from, marker: false }, nowMs);
        }
        // A source that ran ahead delays generated frames, but not for long.
        leftOut = numbers ? 0 : leftOut + 1;
        expect(leftOut).toBeLessThanOrEqual(one.kind === 'generated' ? 8 : 0);
        if (!numbers) continue;
        const ahead = sequenceDistance(numbers.sequenceNumber, last.sequenceNumber);
        expect(ahead).toBeGreaterThanOrEqual(1);
        expect(ahead).toBeLessThanOrEqual(1 + skip);
        const time = timestampDistance(numbers.timestamp, last.timestamp);
        expect(time).toBeGreaterThanOrEqual(160);
        expect(time).toBeLessThanOrEqual(160 * 52);
        last = sequencer.position;
      }
    }),
  );
});

test('a relayed stream keeps its own gaps and timing', () => {
  const sequencer = new RtpSequencer({ ssrc: 1, sequenceNumber: 10, timestamp: 1_000 });
  const from = (n: number) => ({
    ssrc: 5,
    sequenceNumber: 500 + n,
    timestamp: 8_000 + 160 * n,
    marker: false,
  });
  expect(sequencer.relayed(from(0), 0)).toEqual({ sequenceNumber: 11, timestamp: 1_160, marker: true });
  expect(sequencer.relayed(from(1), 25)).toEqual({ sequenceNumber: 12, timestamp: 1_320, marker: false });
  expect(sequencer.relayed(from(4), 90)).toEqual({ sequenceNumber: 15, timestamp: 1_800, marker: false });
  expect(sequencer.relayed(from(3), 91)).toBeNull();
  expect(sequencer.relayed(from(5), 95)).toEqual({ sequenceNumber: 16, timestamp: 1_960, marker: false });
});

test('after a pause the timestamp has advanced by as much', () => {
  const sequencer = new RtpSequencer({ ssrc: 1, sequenceNumber: 0, timestamp: 0 });
  sequencer.generated(1_000);
  expect(sequencer.generated(2_000)?.timestamp).toBe(160 + 8_000);
});

test('timestamps stay in real time for any number of changes between relayed and generated frames', () => {
  const phases = fc.array(fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 19 })), {
    minLength: 100,
    maxLength: 300,
  });
  fc.assert(
    fc.property(phases, (turns) => {
      const sequencer = new RtpSequencer({ ssrc: 1, sequenceNumber: 0, timestamp: 0 });
      let nowMs = 0;
      sequencer.generated(nowMs);
      for (const [frames, phaseMs] of turns) {
        for (let frame = 0; frame < frames; frame += 1) sequencer.generated((nowMs += 20));
        for (let frame = 0; frame < frames; frame += 1) {
          const sent = Math.round(nowMs / 20) + frame;
          const from = { ssrc: 9, sequenceNumber: sent & 0xffff, timestamp: sent * 160, marker: false };
          sequencer.relayed(from, nowMs + frame * 20 + phaseMs);
        }
        nowMs += frames * 20;
      }
      const ahead = sequencer.position.timestamp - nowMs * 8;
      expect(Math.abs(ahead)).toBeLessThanOrEqual(160 * 4); // the error of 230 changes would add up to four seconds
    }),
  );
});
