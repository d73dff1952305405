'use client';

import { useSyncExternalStore } from 'react';
import { classNames } from '../shared/class-names.ts';
import { formatClock, formatDuration, formatRelative } from '../shared/format.ts';
import { every } from '../shared/ticker.ts';
import { None } from './None.tsx';

const SECOND_MS = 1_000;
const RELATIVE_MS = 30_000;

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const withSeconds = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });
/** Used until hydration: the server knows neither the reader's time zone nor their clock. */
const onServer = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

interface TimeProps {
  /** An ISO time, milliseconds, or a Date; null and undefined are shown as a dash. */
  at: string | number | Date | null | undefined;
  className?: string;
}

/** "5 minutes ago"; the full time on hover. */
export function RelativeTime({ at, className }: TimeProps) {
  const now = useTick(RELATIVE_MS);
  const time = parse(at);
  if (time === null) return <None />;
  return (
    <time
      dateTime={time.toISOString()}
      {...(now !== null && { title: full.format(time) })}
      className={classNames('whitespace-nowrap', className)}
    >
      {now === null ? onServer.format(time) : formatRelative(time, now)}
    </time>
  );
}

/** "21 Nov 2026, 23:15", in the reader's time zone. */
export function DateTime({ at, seconds = false, className }: TimeProps & { seconds?: boolean }) {
  const hydrated = useHydrated();
  const time = parse(at);
  if (time === null) return <None />;
  return (
    <time
      dateTime={time.toISOString()}
      {...(hydrated && { title: full.format(time) })}
      className={classNames('whitespace-nowrap tabular-nums', className)}
    >
      {(!hydrated ? onServer : seconds ? withSeconds : dateTime).format(time)}
    </time>
  );
}

export interface DurationProps {
  seconds: number | null | undefined;
  /** 1:15 instead of 1 min 15 s. */
  clock?: boolean;
  className?: string;
}

export function Duration({ seconds, clock = false, className }: DurationProps) {
  if (seconds === null || seconds === undefined) return <None />;
  return (
    <span className={classNames('whitespace-nowrap tabular-nums', className)}>
      {clock ? formatClock(seconds) : formatDuration(seconds)}
    </span>
  );
}

export interface LiveTimerProps {
  since: string | number | Date;
  /** Counts down to this time instead. */
  until?: boolean;
  className?: string;
}

/** The time elapsed since then, updated continuously. All timers of a page tick together. */
export function LiveTimer({ since, until = false, className }: LiveTimerProps) {
  const now = useTick(SECOND_MS);
  const from = parse(since)?.getTime();
  const away = now === null || from === undefined ? 0 : until ? from - now : now - from;
  return (
    <span role="timer" aria-live="off" className={classNames('whitespace-nowrap tabular-nums', className)}>
      {formatClock(away / SECOND_MS)}
    </span>
  );
}

function parse(at: TimeProps['at']): Date | null {
  if (at === null || at === undefined) return null;
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** The time of the last tick; null on the server and during hydration. */
function useTick(intervalMs: number): number | null {
  const { subscribe, now } = every(intervalMs);
  return useSyncExternalStore<number | null>(subscribe, now, none);
}

const none = (): null => null;
const never = () => () => undefined;

/** Whether the page is hydrated, so that the reader's time zone is known. */
function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
