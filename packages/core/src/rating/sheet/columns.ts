/** Which column of a rate sheet contains what: as named in the request, as in the last import, or by its heading. Pure. */

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
/** The heading of each column; null: the sheet has none. */
export type SheetColumns = Record<SheetField, string | null>;
/** What the last import read: headings, and the fields that it was told to leave out. */
export interface LastColumns {
  columns: SheetColumns;
  leftOut: readonly SheetField[];
}
/** As named in a request. Null: the sheet has none, whatever its headings; a field that is absent is found. */
export type GivenColumns = { [Field in SheetField]?: string | null | undefined };
type FoundBy = 'given' | 'last' | 'heading';

export interface FoundColumns {
  columns: SheetColumns;
  found: Record<SheetField, FoundBy | null>;
  missing: ('prefix' | 'rate')[];
  /** Fields of the request that name a heading which the sheet lacks. */
  unknown: SheetField[];
}

/** Headings that carriers use, in lower case and without punctuation. */
const headings: Record<SheetField, readonly string[]> = {
  prefix: [
    'prefix',
    'code',
    'dial code',
    'dialcode',
    'dialing code',
    'dial prefix',
    'area code',
    'destination code',
    'country code',
    'breakout',
    'numbering plan',
  ],
  rate: [
    'rate',
    'price',
    'recurring charge',
    'rate per minute',
    'rate min',
    'price per minute',
    'price min',
    'per minute cost',
    'cost min',
    'cost per minute',
    'next price',
    'new rate',
    'cost',
    'charge',
    'usd min',
    'eur min',
  ],
  destination: [
    'destination',
    'zone',
    'description',
    'code name',
    'destination name',
    'country',
    'name',
    'area',
    'location',
    'route',
  ],
  effectiveFrom: [
    'effective date',
    'effective from',
    'effective',
    'valid from',
    'start date',
    'date',
    'activation date',
    'from date',
  ],
  initialSeconds: [
    'initial period',
    'initial increment',
    'min',
    'minimum',
    'minimum duration',
    'first increment',
    'first interval',
    'included seconds',
    'initial',
  ],
  incrementSeconds: [
    'recurring period',
    'increment',
    'int',
    'interval',
    'billing increment',
    'next increment',
    'subsequent increment',
    'next interval',
    'recurring increment',
  ],
  connectionFee: [
    'connection fee',
    'setup fee',
    'connect fee',
    'connection cost',
    'connect cost',
    'connection charge',
    'sf',
    'setup charge',
    'surcharge',
  ],
};

const plain = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\([^)]*\)|\[[^\]]*\]/g, ' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * @param last a heading that this sheet lacks is ignored
 */
export function findColumns(
  header: readonly string[],
  given: GivenColumns | null,
  last: LastColumns | null,
): FoundColumns {
  const byPlain = new Map(header.toReversed().map((heading) => [plain(heading), heading]));
  const inHeader = (heading: string | null | undefined): string | null =>
    heading === null || heading === undefined ? null : (byPlain.get(plain(heading)) ?? null);
  const columns = {} as SheetColumns;
  const found = {} as Record<SheetField, FoundBy | null>;
  const taken = new Set<string>();
  const set = (field: SheetField, heading: string | null, by: FoundBy) => {
    if (heading === null || taken.has(heading) || found[field]) return;
    columns[field] = heading;
    found[field] = by;
    taken.add(heading);
  };
  for (const field of sheetFields) {
    columns[field] = null;
    found[field] = leftOutBy(given?.[field], last?.leftOut.includes(field) ?? false);
  }
  for (const field of sheetFields) set(field, inHeader(given?.[field]), 'given');
  for (const field of sheetFields) set(field, inHeader(last?.columns[field]), 'last');
  for (const field of sheetFields)
    for (const known of headings[field]) set(field, byPlain.get(known) ?? null, 'heading');
  return {
    columns,
    found,
    missing: (['prefix', 'rate'] as const).filter((field) => columns[field] === null),
    unknown: sheetFields.filter(
      (field) => (given?.[field] ?? null) !== null && inHeader(given?.[field]) === null,
    ),
  };
}

/** The fields that have no column because somebody said so: the next file is read without them, too. */
export const leftOutOf = ({ columns, found }: Pick<FoundColumns, 'columns' | 'found'>): SheetField[] =>
  sheetFields.filter((field) => columns[field] === null && found[field] !== null);

function leftOutBy(given: string | null | undefined, byLast: boolean): FoundBy | null {
  if (given === null) return 'given';
  return given === undefined && byLast ? 'last' : null;
}
