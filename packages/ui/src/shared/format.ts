/** Formats figures as text, in the reader's locale where possible. */

const LOCALE = 'en-GB';

const KILO = 1_000;
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** 1 530 000 → "1.5 MB". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= KILO && unit < UNITS.length - 1) {
    value /= KILO;
    unit += 1;
  }
  const rounded = unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${rounded} ${UNITS[unit]}`;
}

const day = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `2026-11-21` → "21 Nov 2026". */
export function formatDay(date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? date : day.format(at);
}

/** 75 → "1:15", 3 700 → "1:01:40". */
export function formatClock(totalSeconds: number): string {
  const whole = Math.max(0, Math.floor(totalSeconds));
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** 4 → "4 s", 75 → "1 min 15 s", 3 700 → "1 h 1 min". */
export function formatDuration(totalSeconds: number): string {
  const whole = Math.max(0, Math.round(totalSeconds));
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return seconds > 0 ? `${minutes} min ${seconds} s` : `${minutes} min`;
  return `${seconds} s`;
}

/** The initials of an avatar: those of the first and last word. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends.map((word) => [...(word ?? '?')][0]?.toUpperCase() ?? '').join('');
}

/** `now` is updated twice a minute and clocks differ, so a time that is slightly in the future counts as now. */
const CLOCKS_APART_S = 30;
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const short = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const shortYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });

/** "just now", "5 minutes ago", "yesterday"; after a week, the date. Future times likewise. */
export function formatRelative(at: Date, now: number): string {
  const seconds = (at.getTime() - now) / 1000;
  const away = Math.abs(seconds);
  if (away < MINUTE_S) return seconds > CLOCKS_APART_S ? 'in a moment' : 'just now';
  if (away < HOUR_S) return relative.format(Math.trunc(seconds / MINUTE_S), 'minute');
  if (away < DAY_S) return relative.format(Math.trunc(seconds / HOUR_S), 'hour');
  if (away < WEEK_S) return relative.format(Math.trunc(seconds / DAY_S), 'day');
  return new Date(now).getFullYear() === at.getFullYear() ? short.format(at) : shortYear.format(at);
}
