/** An IANA time zone, as this machine's Intl knows it. */
import { text } from './fields.ts';

const TIME_ZONE_MAX_CHARS = 64;

export const timeZone = text(TIME_ZONE_MAX_CHARS).refine(isTimeZone, {
  error: 'must be an IANA time zone such as Europe/London',
});

/** Offsets such as `+02:00` are zones to Intl; they know no summer time, so they are not taken. */
function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}
