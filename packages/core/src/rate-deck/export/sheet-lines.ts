/** The cells of an exported rate sheet. An import of the file reads the same prices. */
import type { RateEntry } from '@clarion/db';
import { safeText } from '../../csv/safe-text.ts';
import type { Cell } from '../../csv/csv-line.ts';

export const HEADINGS = [
  'Destination',
  'Prefix',
  'Rate',
  'Effective Date',
  'Initial Period',
  'Recurring Period',
  'Connection Fee',
] as const;

const DATE_CHARS = 'YYYY-MM-DD'.length;

/** Prefixes and amounts are texts: spreadsheet programs round long numbers. */
export const cellsOf = (entry: RateEntry): Cell[] => [
  safeText(entry.destination ?? ''),
  entry.prefix,
  entry.rate.toFixed(),
  entry.effectiveFrom.toISOString().slice(0, DATE_CHARS),
  entry.initialSeconds,
  entry.incrementSeconds,
  entry.connectionFee.toFixed(),
];
