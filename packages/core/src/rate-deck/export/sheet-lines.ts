/** The cells of an exported rate sheet. An import of the file reads the same prices. */
import type { RateEntry } from '@clarion/db';

export type Cell = string | number;

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

/** A text that a spreadsheet program would run as a formula gets an apostrophe, which an import removes. */
const safeText = (text: string): string => (/^[=+\-@]/.test(text) ? `'${text}` : text);
