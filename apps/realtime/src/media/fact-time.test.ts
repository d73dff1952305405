import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalClock, timeOfFact } from './fact-time.ts';

const at = new Date('2026-01-01T12:00:00.000Z');
const SECOND_MS = 1_000;

test('the time of a fact is the time of its arrival minus its age and its delay, whatever the wall clock of the media node says', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(5_000), fc.date({ noInvalidDate: true }), (ageMs, delayMs, wall) => {
      const time = timeOfFact({ clockMs: 0, ageMs }, wall.toISOString(), { at, delayMs });
      expect(Math.abs(at.getTime() - time.getTime() - ageMs - delayMs)).toBeLessThanOrEqual(250);
    }),
  );
});

test('the wall clock of the media node counts if it agrees with the age, and is never in the future', () => {
  const timeOf = (wallOffsetMs: number, ageMs: number) =>
    timeOfFact({ clockMs: 0, ageMs }, new Date(at.getTime() + wallOffsetMs).toISOString(), {
      at,
      delayMs: 0,
    }).getTime() - at.getTime();
  expect(timeOf(-1_026, 1_000)).toBe(-1_026);
  expect(timeOf(-6_000, 1_000)).toBe(-1_000);
  expect(timeOf(4_000, 1_000)).toBe(-1_000);
  expect(timeOf(20, 0)).toBe(0);
});

test('a media node of an earlier version is believed about the past, not about the future', () => {
  const reported = (offsetMs: number) => new Date(at.getTime() + offsetMs).toISOString();
  const timeOf = (text: string) => timeOfFact(undefined, text, { at, delayMs: 0 });
  expect(timeOf(reported(-SECOND_MS))).toEqual(new Date(reported(-SECOND_MS)));
  expect(timeOf(reported(SECOND_MS))).toEqual(at);
  expect(timeOf('no time')).toEqual(at);
});

test('a message without the clock of its sender has no known delay', () => {
  const clock = new ArrivalClock(() => at);
  expect(clock.arrival(undefined)).toEqual({ at, delayMs: 0 });
  expect(clock.arrival(1)).toEqual({ at, delayMs: 0 });
});
