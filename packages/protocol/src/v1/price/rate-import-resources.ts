/** The response of a rate deck import: how the file was read, and what would change or has changed. */
import { z } from 'zod';
import { id, timestamp } from '../fields/fields.ts';
import { amountText } from '../fields/money.ts';

/** FILE: a CSV file. EDIT: a manual change. */
export const rateImportKinds = ['FILE', 'EDIT'] as const;
/** FULL replaces the rate deck: entries of prefixes that are not in the file end. CHANGES keeps them. */
export const rateImportModes = ['FULL', 'CHANGES'] as const;
export const rateDateFormats = ['DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD'] as const;

const count = z.number().int();
const counts = { rows: count, added: count, changed: count, ended: count, unchanged: count, skipped: count };

export const rateImportResource = z
  .strictObject({
    id,
    kind: z.enum(rateImportKinds),
    /** Null for a manual change. */
    mode: z.enum(rateImportModes).nullable(),
    fileName: z.string().nullable(),
    /** A description of the manual change; null for a file. */
    note: z.string().nullable(),
    ...counts,
    createdAt: timestamp,
  })
  .meta({ id: 'RateImport' });
export type RateImportResource = z.infer<typeof rateImportResource>;

/** The heading of each column in the file; null if the file does not have the column. */
const columns = z.strictObject({
  prefix: z.string().nullable(),
  rate: z.string().nullable(),
  destination: z.string().nullable(),
  effectiveFrom: z.string().nullable(),
  initialSeconds: z.string().nullable(),
  incrementSeconds: z.string().nullable(),
  connectionFee: z.string().nullable(),
});
/** given: by `columns` in the body. last: as in the last import. heading: by a known heading. */
const foundBy = z.enum(['given', 'last', 'heading']).nullable();

export const rateImportReading = z
  .strictObject({
    header: z.array(z.string()),
    columns,
    found: z.strictObject({
      prefix: foundBy,
      rate: foundBy,
      destination: foundBy,
      effectiveFrom: foundBy,
      initialSeconds: foundBy,
      incrementSeconds: foundBy,
      connectionFee: foundBy,
    }),
    /** Required columns that were not found. */
    missing: z.array(z.enum(['prefix', 'rate'])),
    dates: z.strictObject({
      format: z.enum(rateDateFormats),
      /** given: by the body. file: detected from the dates. last: as in the last import. default: DD/MM/YYYY. */
      found: z.enum(['given', 'file', 'last', 'default']),
      /** False: the order of day and month is ambiguous. */
      sure: z.boolean(),
      /** A date as written in the file; null if there is none. */
      sample: z.string().nullable(),
    }),
    periods: z.strictObject({
      /** Whether the file has columns for the billing blocks. */
      inFile: z.boolean(),
      initialSeconds: count,
      incrementSeconds: count,
      found: z.enum(['file', 'given', 'last', 'default']),
    }),
  })
  .meta({ id: 'RateImportReading' });
export type RateImportReading = z.infer<typeof rateImportReading>;

/** Contains the first rows that would change and the first that cannot be read. The counts are for the whole file. */
export const rateImportPreview = z
  .strictObject({
    mode: z.enum(rateImportModes),
    ...counts,
    changes: z.array(
      z.strictObject({
        prefix: z.string(),
        destination: z.string().nullable(),
        change: z.enum(['ADDED', 'CHANGED', 'ENDED']),
        oldRate: amountText.nullable(),
        newRate: amountText.nullable(),
        effectiveFrom: timestamp,
      }),
    ),
    skippedRows: z.array(z.strictObject({ line: count, reason: z.string() })),
  })
  .meta({ id: 'RateImportPreview' });
export type RateImportPreview = z.infer<typeof rateImportPreview>;

/** `preview` is null if the prefix or the rate column was not found: see `reading.missing`. */
export const rateImportDryRun = z.strictObject({
  reading: rateImportReading,
  preview: rateImportPreview.nullable(),
});
export type RateImportDryRun = z.infer<typeof rateImportDryRun>;
export type RateImportMode = (typeof rateImportModes)[number];
