/** An IANA time zone that the machine's Intl supports. */
import { text } from './fields.ts';

const TIME_ZONE_MAX_CHARS = 64;

export const timeZone = text(TIME_ZONE_MAX_CHARS).refine(isTimeZone, {
  error: 'must be an IANA time zone such as Europe/London',
});

/** Intl also accepts offsets such as `+02:00`. They are rejected, because they have no daylight saving time. */
function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}
