import { expect, test } from 'vitest';
import { defaultMediaTimeouts as timeouts, mediaTimeout } from './media-watchdog.ts';

test.each([
  ['no packet, in time', 19_999, null, null],
  ['no packet, too late', 20_000, null, 138_023],
  ['a packet long ago, but the call was just accepted', 5000, 60_000, null],
  ['a pause within the limit', 60_000, 29_999, null],
  ['a pause beyond the limit', 60_000, 30_000, 138_021],
  ['packets all the time', 3_600_000, 20, null],
] as const)('%s', (_, sinceAcceptMs, silentForMs, expected) => {
  expect(mediaTimeout(sinceAcceptMs, silentForMs, timeouts)).toBe(expected);
});
