import { expect, test } from 'vitest';
import { resetAllowance } from './request-reset.ts';
import { RESET_MAILS, RESET_MS } from './staff-limits.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.UTC(2027, 0, 1);

/** Another person requests a reset every `everyMinutes`. */
function ask(everyMinutes: number, days: number) {
  const mails: { at: Date; endsAt: number }[] = [];
  const without: Date[] = [];
  for (let ms = START; ms < START + days * DAY_MS; ms += everyMinutes * MINUTE_MS) {
    const now = new Date(ms);
    const lastsMs = resetAllowance(
      mails.map(({ at }) => at).filter((at) => ms - at.getTime() < DAY_MS),
      now,
    );
    if (lastsMs !== null) mails.push({ at: now, endsAt: ms + lastsMs });
    if (!mails.some(({ endsAt }) => endsAt > ms)) without.push(now);
  }
  return { mails: mails.map(({ at }) => at.getTime()), without };
}

test.each([0.25, 1, 7, 20, 59, 60, 61, 144, 720])(
  'requests every %d minutes do not flood the mailbox, and its owner always has a link that works',
  (everyMinutes) => {
    const { mails, without } = ask(everyMinutes, 4);
    expect(without).toEqual([]);
    for (const at of mails) {
      const within = (ms: number) => mails.filter((other) => other >= at && other < at + ms).length;
      expect(within(MINUTE_MS)).toBe(1);
      expect(within(60 * MINUTE_MS)).toBeLessThanOrEqual(RESET_MAILS.perHour);
      expect(within(DAY_MS)).toBeLessThanOrEqual(RESET_MAILS.perDay);
    }
  },
);

test('a link works for an hour, the last one of the day for a day', () => {
  const now = new Date(START);
  const hoursAgo = (hours: number) => new Date(START - hours * 60 * MINUTE_MS);
  expect(resetAllowance([], now)).toBe(RESET_MS);
  const nine = Array.from({ length: RESET_MAILS.perDay - 1 }, (_, i) => hoursAgo(2 + i));
  expect(resetAllowance(nine, now)).toBe(DAY_MS);
  expect(resetAllowance([...nine, hoursAgo(20)], now)).toBeNull();
});
