/** What the user decides about a file: columns, order of dates, billing blocks and mode → the body of the import. Pure. */
import type { ImportBody, Reading } from './resources.ts';

export const sheetFields = [
  'prefix',
  'rate',
  'destination',
  'effectiveFrom',
  'initialSeconds',
  'incrementSeconds',
  'connectionFee',
] as const;
export type SheetField = (typeof sheetFields)[number];

export const fieldLabels: Record<SheetField, { label: string; hint: string; required?: true }> = {
  prefix: {
    label: 'Prefix',
    hint: 'The first digits of the numbers, with the country code.',
    required: true,
  },
  rate: { label: 'Rate', hint: 'The price per minute.', required: true },
  destination: { label: 'Destination', hint: 'The name of the country, network or city.' },
  effectiveFrom: {
    label: 'Effective date',
    hint: 'When the rate takes effect. Without a date, it takes effect on import.',
  },
  initialSeconds: { label: 'First billing block', hint: 'In seconds.' },
  incrementSeconds: { label: 'Further billing blocks', hint: 'In seconds.' },
  connectionFee: { label: 'Connection fee', hint: 'Charged once per answered call.' },
};

export type DateFormat = Reading['dates']['format'];
export const dateFormats: readonly { value: DateFormat; label: string }[] = [
  { value: 'DD/MM/YYYY', label: 'Day, month, year (31/12/2026)' },
  { value: 'MM/DD/YYYY', label: 'Month, day, year (12/31/2026)' },
  { value: 'YYYY-MM-DD', label: 'Year, month, day (2026-12-31)' },
];

export type ImportMode = 'FULL' | 'CHANGES';

export interface ImportOptions {
  /** The heading chosen for a field, null for none; a field that is absent is left to the service. */
  columns: Partial<Record<SheetField, string | null>>;
  dateFormat: DateFormat | null;
  initialSeconds: number | null;
  incrementSeconds: number | null;
  mode: ImportMode;
}

export const noOptions: ImportOptions = {
  columns: {},
  dateFormat: null,
  initialSeconds: null,
  incrementSeconds: null,
  mode: 'FULL',
};

const columnNames = {
  prefix: 'prefix',
  rate: 'rate',
  destination: 'destination',
  effectiveFrom: 'effective_from',
  initialSeconds: 'initial_seconds',
  incrementSeconds: 'increment_seconds',
  connectionFee: 'connection_fee',
} as const;

export function importBodyOf(file: { name: string; text: string }, options: ImportOptions): ImportBody {
  const { columns, dateFormat, initialSeconds, incrementSeconds, mode } = options;
  const given = sheetFields.flatMap((field) => {
    const heading = columns[field];
    return heading === undefined ? [] : [[columnNames[field], heading]];
  });
  return {
    csv: file.text,
    file_name: file.name,
    mode,
    ...(given.length > 0 && { columns: Object.fromEntries(given) }),
    ...(dateFormat !== null && { date_format: dateFormat }),
    ...(initialSeconds !== null && { default_initial_seconds: initialSeconds }),
    ...(incrementSeconds !== null && { default_increment_seconds: incrementSeconds }),
  };
}

/**
 * A heading serves one field: choosing it for another moves it there. The columns that the service found are sent along from then on,
 * because what was taken from one field must not be found for it again.
 */
export function withColumn(
  { columns: found }: Pick<Reading, 'columns'>,
  options: ImportOptions,
  field: SheetField,
  heading: string | null,
): ImportOptions {
  const columns: ImportOptions['columns'] = {};
  for (const other of sheetFields) {
    const chosen = options.columns[other];
    const kept = chosen === undefined ? (found[other] ?? undefined) : chosen;
    if (kept !== undefined && (kept === null || kept !== heading)) columns[other] = kept;
  }
  return { ...options, columns: { ...columns, [field]: heading } };
}

const foundTexts = {
  given: 'Set for this import',
  last: 'As in the last import',
  heading: 'Found by its heading',
};
export const foundText = (found: keyof typeof foundTexts | null): string =>
  found === null ? 'Not in the file' : foundTexts[found];

/** "03/04/2026" → 3 April 2026, as the service reads it in this order; null: it is not a date. */
export function readSample(sample: string, format: DateFormat): string | null {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/.exec(sample);
  const parts = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)/.exec(sample);
  const [year, month, day] = iso
    ? [iso[1], iso[2], iso[3]]
    : format === 'MM/DD/YYYY'
      ? [parts?.[3], parts?.[1], parts?.[2]]
      : [parts?.[3], parts?.[2], parts?.[1]];
  const date = new Date(
    Date.UTC(Number(year?.length === 2 ? `20${year}` : year), Number(month) - 1, Number(day)),
  );
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
    ? longDate.format(date)
    : null;
}

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
