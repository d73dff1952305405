import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransitDelay } from './transit-delay.ts';

/** A sender that reports every half second; its clock is `offset` ahead and drifts. */
const message = fc.record({
  pauseMs: fc.integer({ min: 1, max: 500 }),
  delayMs: fc.integer({ min: 0, max: 5_000 }),
});

test('the delay of a message is known as soon as one message was not delayed, whatever the difference of the clocks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -10_000_000, max: 10_000_000 }),
      fc.integer({ min: -100, max: 100 }),
      fc.array(message, { maxLength: 300 }),
      (offsetMs, driftPpm, messages) => {
        const delays = new TransitDelay();
        const senderTime = (ms: number) => offsetMs + ms * (1 + driftPpm / 1_000_000);
        let sentAt = 0;
        delays.of(senderTime(0), 0);
        for (const [i, { pauseMs, delayMs }] of messages.entries()) {
          sentAt += pauseMs;
          // Every eighth message is read at once.
          const actual = i % 8 === 0 ? 0 : delayMs;
          expect(Math.abs(delays.of(senderTime(sentAt), sentAt + actual) - actual)).toBeLessThan(10);
        }
      },
    ),
  );
});

test('a transit time that has become longer for good counts as usual after a minute', () => {
  const delays = new TransitDelay();
  delays.of(0, 0);
  expect(delays.of(1_000, 1_200)).toBe(200);
  for (let at = 2_000; at < 70_000; at += 5_000) delays.of(at, at + 200);
  expect(delays.of(70_000, 70_200)).toBe(0);
});

test('a clock that was stopped with its host is not taken for a delay', () => {
  const delays = new TransitDelay();
  delays.of(0, 0);
  expect(delays.of(1_000, 601_000)).toBe(0);
});
