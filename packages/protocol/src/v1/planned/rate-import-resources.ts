/** What an import of a rate sheet answers: how the file was read, what would change, what did. */
import { z } from 'zod';
import { id, timestamp } from '../fields/fields.ts';
import { amountText } from '../fields/money.ts';

/** FILE: a CSV. EDIT: a change by hand. */
export const rateImportKinds = ['FILE', 'EDIT'] as const;
/** FULL replaces the sheet: a prefix the file lacks ends. CHANGES leaves what the file does not name. */
export const rateImportModes = ['FULL', 'CHANGES'] as const;
export const rateDateFormats = ['DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD'] as const;

const count = z.number().int();
const counts = { rows: count, added: count, changed: count, ended: count, unchanged: count, skipped: count };

export const rateImportResource = z
  .strictObject({
    id,
    kind: z.enum(rateImportKinds),
    /** Null for an edit. */
    mode: z.enum(rateImportModes).nullable(),
    fileName: z.string().nullable(),
    /** What was edited, in words; null for a file. */
    note: z.string().nullable(),
    ...counts,
    createdAt: timestamp,
  })
  .meta({ id: 'RateImport' });
export type RateImportResource = z.infer<typeof rateImportResource>;

/** The file's heading of each column; null where it has none. */
const columns = z.strictObject({
  prefix: z.string().nullable(),
  rate: z.string().nullable(),
  destination: z.string().nullable(),
  effectiveFrom: z.string().nullable(),
  initialSeconds: z.string().nullable(),
  incrementSeconds: z.string().nullable(),
  connectionFee: z.string().nullable(),
});
/** The body's `columns`; the last import's; a known heading. */
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
    /** Columns without which nothing can be imported. */
    missing: z.array(z.enum(['prefix', 'rate'])),
    dates: z.strictObject({
      format: z.enum(rateDateFormats),
      /** The body's; what the dates show; the last import's; DD/MM/YYYY for want of anything. */
      found: z.enum(['given', 'file', 'last', 'default']),
      /** False: a day could as well be a month. */
      sure: z.boolean(),
      /** A date as the file has it; null when it has none. */
      sample: z.string().nullable(),
    }),
    periods: z.strictObject({
      /** Whether the file has columns of its own for the billing blocks. */
      inFile: z.boolean(),
      initialSeconds: count,
      incrementSeconds: count,
      found: z.enum(['file', 'given', 'last', 'default']),
    }),
  })
  .meta({ id: 'RateImportReading' });

/** The first rows that would change, and the first that cannot be read, are shown; the counts are of the whole file. */
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

/** `preview` is null when the prefix or the rate column was not found: see `reading.missing`. */
export const rateImportDryRun = z.strictObject({
  reading: rateImportReading,
  preview: rateImportPreview.nullable(),
});
