/** Whether a price is in force, starts later or has ended; the resource has only its times. Pure. */
import type { Tone } from '@clarion/ui';
import type { Entry } from './resources.ts';

export type EntryStatus = 'CURRENT' | 'SCHEDULED' | 'ENDED';

export const entryStatuses: Record<EntryStatus, { label: string; tone: Tone }> = {
  CURRENT: { label: 'In force', tone: 'positive' },
  SCHEDULED: { label: 'Scheduled', tone: 'accent' },
  ENDED: { label: 'Ended', tone: 'neutral' },
};

/** The service's clock may be ahead of the browser's: a price that was set a moment ago must not look scheduled. */
const CLOCKS_APART_MS = 60_000;

/** `now`: of the browser. */
export function statusOf(
  { effectiveFrom, effectiveTo }: Pick<Entry, 'effectiveFrom' | 'effectiveTo'>,
  now: number,
): EntryStatus {
  const latest = now + CLOCKS_APART_MS;
  if (effectiveTo !== null && Date.parse(effectiveTo) <= latest) return 'ENDED';
  return Date.parse(effectiveFrom) > latest ? 'SCHEDULED' : 'CURRENT';
}
