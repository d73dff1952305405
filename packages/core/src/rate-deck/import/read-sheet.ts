/** Reads a carrier's CSV file: first how it is laid out, then its rows, a batch at a time, so that a large file fits into memory. */
import { setImmediate } from 'node:timers/promises';
import { invalidField } from '@clarion/protocol';
import type { RateDeckReading } from '@clarion/protocol';
import type { RateImportReading } from '@clarion/protocol/v1/price/rate-import-resources';
import type { LongText } from '@clarion/protocol/v1/fields/long-text';
import type { ImportRateDeck } from '@clarion/protocol/v1/price/rate-imports';
import { CsvError, parse } from 'csv-parse';
import { findColumns } from '../../rating/sheet/columns.ts';
import type { SheetColumns, SheetField } from '../../rating/sheet/columns.ts';
import { findOrder, orderShownBy } from '../../rating/sheet/dates.ts';
import type { DateOrder } from '../../rating/sheet/dates.ts';
import { allowsDecimalComma, findDelimiter } from '../../rating/sheet/delimiter.ts';
import { readRow } from '../../rating/sheet/sheet-row.ts';
import type { ReadRow, SheetCells } from '../../rating/sheet/sheet-row.ts';

/** Billing blocks of a sheet that has none, unless something else is known. */
const DEFAULT_BLOCK_SECONDS = 60;
/** A line that is longer is not a row of a rate sheet. */
const MAX_LINE_BYTES = 64 * 1024;
/** The delimiter is found in the header. */
const HEADER_CHARS = 2 * MAX_LINE_BYTES;
/** Takes a millisecond to parse: a request that is served meanwhile waits for several pieces. */
const PIECE_CHARS = 4 * 1024;
/** Is searched or counted in less than a millisecond. */
const LARGE_PIECE_CHARS = 1024 * 1024;
/** Part of every date that can be read (rating/sheet/dates.ts). */
const DATE_PART = /\d[-/.]\d{1,2}[-/.]\d/;
const DATE_PART_CHARS = 6;
/** Names of the fields in a request. */
const requestNames: Record<SheetField, string> = {
  prefix: 'prefix',
  rate: 'rate',
  destination: 'destination',
  effectiveFrom: 'effective_from',
  initialSeconds: 'initial_seconds',
  incrementSeconds: 'increment_seconds',
  connectionFee: 'connection_fee',
};

interface CsvRecord {
  record: string[];
  info: { lines: number };
}

export type LineRead = { line: number } & ReadRow;

/** In UTF-8. Counting 20 MB at once would block the process for 10 ms. */
export async function bytesOf(csv: LongText): Promise<number> {
  let bytes = 0;
  for (const piece of piecesOf(csv, LARGE_PIECE_CHARS)) {
    await setImmediate();
    bytes += Buffer.byteLength(piece);
  }
  return bytes;
}

/** @throws 400 naming `csv` or `columns` */
export async function readLayout(
  input: ImportRateDeck,
  last: RateDeckReading | null,
): Promise<RateImportReading> {
  const header = await headerOf(input.csv);
  const { columns, found, missing, unknown } = findColumns(header, input.columns, last);
  const [wrong] = unknown;
  if (wrong !== undefined)
    throw invalidField(
      'columns',
      `The file has no column ${JSON.stringify(input.columns?.[wrong])}, which columns.${requestNames[wrong]} names.`,
    );
  return {
    header,
    columns,
    found,
    missing,
    dates: await datesOf(input, columns, header, last?.dateFormat ?? null),
    periods: periodsOf(input, columns, last),
  };
}

/** The rows in batches, each with its price or the reason why it is skipped. @throws 400 naming `csv` */
export async function* readRows(
  { csv }: ImportRateDeck,
  { header, columns, dates, periods }: RateImportReading,
): AsyncGenerator<LineRead[]> {
  const cellsOf = cellReader(columns, header);
  const rules = {
    dateOrder: dates.format,
    decimalComma: allowsDecimalComma(findDelimiter(csv.start(HEADER_CHARS))),
    initialSeconds: periods.initialSeconds,
    incrementSeconds: periods.incrementSeconds,
  };
  for await (const records of recordsOf(csv))
    yield records.map(({ record, info }) => ({ line: info.lines, ...readRow(cellsOf(record), rules) }));
}

async function headerOf(csv: LongText): Promise<string[]> {
  for await (const [first] of recordsOf(csv, { header: true })) if (first) return first.record;
  throw invalidField('csv', 'csv has no rows.');
}

/** The records after the header, or the header, a piece of the text at a time. Without a promise for each record: there are 400,000. */
async function* recordsOf(csv: LongText, { header = false } = {}): AsyncGenerator<CsvRecord[]> {
  const parser = parse({
    bom: true,
    delimiter: findDelimiter(csv.start(HEADER_CHARS)),
    info: true,
    max_record_size: MAX_LINE_BYTES,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    ...(header ? { to: 1 } : { from: 2 }),
  });
  // Thrown below; an error without a listener would end the process.
  parser.on('error', () => undefined);
  const read = (): CsvRecord[] => {
    const records: CsvRecord[] = [];
    for (let record: unknown; (record = parser.read()) !== null;) records.push(record as CsvRecord);
    return records;
  };
  try {
    for (const piece of piecesOf(csv, PIECE_CHARS)) {
      parser.write(piece);
      yield read();
      // Other requests are served between two pieces.
      await setImmediate();
      if (parser.errored) throw parser.errored;
    }
    const last: CsvRecord[] = [];
    for await (const record of parser.end()) last.push(record as CsvRecord);
    yield last;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidField('csv', `csv cannot be read: ${error.message}.`);
  } finally {
    parser.destroy();
  }
}

function* piecesOf({ pieces }: LongText, chars: number): Generator<string> {
  for (const text of pieces) {
    for (let start = 0; start < text.length;) {
      const end = start + chars;
      // The two halves of a surrogate pair are one character.
      const cut = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end;
      yield text.slice(start, cut);
      start = cut;
    }
  }
}

/** Written out: a loop over the columns takes longer than reading the row. */
function cellReader(columns: SheetColumns, header: readonly string[]): (record: string[]) => SheetCells {
  const placeOf = (field: SheetField) => {
    const heading = columns[field];
    return heading === null ? -1 : header.indexOf(heading);
  };
  const prefix = placeOf('prefix');
  const destination = placeOf('destination');
  const rate = placeOf('rate');
  const connectionFee = placeOf('connectionFee');
  const initialSeconds = placeOf('initialSeconds');
  const incrementSeconds = placeOf('incrementSeconds');
  const effectiveFrom = placeOf('effectiveFrom');
  return (record) => ({
    prefix: record[prefix] ?? '',
    destination: record[destination] ?? '',
    rate: record[rate] ?? '',
    connectionFee: record[connectionFee] ?? '',
    initialSeconds: record[initialSeconds] ?? '',
    incrementSeconds: record[incrementSeconds] ?? '',
    effectiveFrom: record[effectiveFrom] ?? '',
  });
}

/** The order of day and month needs a date that shows it, which may be the last one of the file. */
async function datesOf(
  { csv, dateFormat }: ImportRateDeck,
  { effectiveFrom }: SheetColumns,
  header: readonly string[],
  last: DateOrder | null,
): Promise<RateImportReading['dates']> {
  const index = effectiveFrom === null ? -1 : header.indexOf(effectiveFrom);
  let sample: string | null = null;
  let shown: DateOrder | null = null;
  if (index !== -1 && (await hasDates(csv))) {
    for await (const records of recordsOf(csv)) {
      for (const { record } of records) {
        const text = record[index] ?? '';
        if (text === '') continue;
        sample ??= text;
        shown ??= orderShownBy(text);
      }
      if (sample !== null && (shown || dateFormat)) break;
    }
  }
  return { ...findOrder(dateFormat, shown, last), sample };
}

/** Searching the text is quicker than reading the records of a file in which the column is empty. */
async function hasDates(csv: LongText): Promise<boolean> {
  let before = '';
  for (const piece of piecesOf(csv, LARGE_PIECE_CHARS)) {
    if (DATE_PART.test(before + piece)) return true;
    before = piece.slice(-DATE_PART_CHARS);
    await setImmediate();
  }
  return false;
}

function periodsOf(
  { defaultInitialSeconds, defaultIncrementSeconds }: ImportRateDeck,
  { initialSeconds, incrementSeconds }: SheetColumns,
  last: RateDeckReading | null,
): RateImportReading['periods'] {
  const inFile = initialSeconds !== null || incrementSeconds !== null;
  const given = defaultInitialSeconds !== null || defaultIncrementSeconds !== null;
  const known = last ? 'last' : 'default';
  return {
    inFile,
    initialSeconds: defaultInitialSeconds ?? last?.initialSeconds ?? DEFAULT_BLOCK_SECONDS,
    incrementSeconds: defaultIncrementSeconds ?? last?.incrementSeconds ?? DEFAULT_BLOCK_SECONDS,
    found: inFile ? 'file' : given ? 'given' : known,
  };
}
