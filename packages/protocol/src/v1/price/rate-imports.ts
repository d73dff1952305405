/** Importing a carrier's CSV file into a rate deck, or previewing the import (docs/requirements.md#prices). */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import {
  enumField,
  fileText,
  integer,
  optional,
  optionalOrNull,
  orDefault,
  orNull,
  required,
  text,
} from '../fields/fields.ts';
import {
  rateDateFormats,
  rateImportDryRun,
  rateImportModes,
  rateImportResource,
} from './rate-import-resources.ts';

/** A larger file is 413 (docs/requirements.md#limits). */
export const MAX_CSV_BYTES = 20 * 1024 * 1024;
/** The CSV is a JSON string, in which each line break and each quote takes two bytes. */
const MAX_IMPORT_BODY_BYTES = 2 * MAX_CSV_BYTES;
const HEADING_MAX_CHARS = 255;
const FILE_NAME_MAX_CHARS = 255;
const BLOCK_SECONDS = { min: 1, max: 3600 };

const heading = text(HEADING_MAX_CHARS);
const blockSeconds = orNull(integer(BLOCK_SECONDS.min, BLOCK_SECONDS.max));

export const importRateDeckBody = z
  .object({
    csv: required(fileText).describe('The content of the file, up to 20 MB.'),
    columns: optional(
      z.object({
        prefix: optional(heading),
        rate: optional(heading),
        destination: optionalOrNull(heading),
        effective_from: optionalOrNull(heading),
        initial_seconds: optionalOrNull(heading),
        increment_seconds: optionalOrNull(heading),
        connection_fee: optionalOrNull(heading),
      }),
    ).describe(
      'The heading of each column in the file. Columns that you do not name are detected. Set an optional field to null to ignore its column, in this file and in later ones, until you name it again.',
    ),
    date_format: orNull(enumField(rateDateFormats)).describe(
      'The order of day and month in dates. A date that begins with the year is read in any case.',
    ),
    default_initial_seconds: blockSeconds.describe('The first billing block of rows without one.'),
    default_increment_seconds: blockSeconds.describe('The further billing blocks of rows without one.'),
    mode: orDefault(enumField(rateImportModes), 'FULL').describe(
      'FULL: the prices of prefixes that the file lacks end. CHANGES: they stay.',
    ),
    file_name: orNull(text(FILE_NAME_MAX_CHARS)).describe('Shown in the log of imports.'),
    // Only JSON true is a dry run.
    dry_run: z
      .preprocess<unknown, z.ZodBoolean, boolean | undefined>((value) => value === true, z.boolean())
      .optional()
      .describe('true: returns a preview and changes nothing.'),
  })
  .transform((body) => ({
    csv: body.csv,
    columns: body.columns
      ? {
          prefix: body.columns.prefix,
          rate: body.columns.rate,
          destination: body.columns.destination,
          effectiveFrom: body.columns.effective_from,
          initialSeconds: body.columns.initial_seconds,
          incrementSeconds: body.columns.increment_seconds,
          connectionFee: body.columns.connection_fee,
        }
      : null,
    dateFormat: body.date_format,
    defaultInitialSeconds: body.default_initial_seconds,
    defaultIncrementSeconds: body.default_increment_seconds,
    mode: body.mode,
    fileName: body.file_name,
    dryRun: body.dry_run ?? false,
  }));
export type ImportRateDeck = z.output<typeof importRateDeckBody>;

const bodyExample = {
  csv: 'Code,Zone,Price\r\n4420,"United Kingdom, London",0.012\r\n',
  mode: 'CHANGES',
  file_name: 'carrier-2026-02.csv',
};
const counts = { rows: 1, added: 1, changed: 0, ended: 0, unchanged: 0, skipped: 0 };
const none = { effectiveFrom: null, initialSeconds: null, incrementSeconds: null, connectionFee: null };
const dryRunExample = {
  reading: {
    header: ['Code', 'Zone', 'Price'],
    columns: { prefix: 'Code', rate: 'Price', destination: 'Zone', ...none },
    found: { prefix: 'heading', rate: 'heading', destination: 'heading', ...none },
    missing: [],
    dates: { format: 'DD/MM/YYYY', found: 'default', sure: false, sample: null },
    periods: { inFile: false, initialSeconds: 60, incrementSeconds: 60, found: 'default' },
  },
  preview: {
    mode: 'CHANGES',
    ...counts,
    changes: [
      {
        prefix: '4420',
        destination: 'United Kingdom, London',
        change: 'ADDED',
        oldRate: null,
        newRate: '0.012',
        effectiveFrom: '2026-01-06T10:00:00.000Z',
      },
    ],
    skippedRows: [],
  },
};
const deckPath = '/v1/rate-decks/{deckId}';
const repeats = ['idempotency_key_in_use', 'idempotency_key_reused'] as const;

export const rateImportEndpoints = {
  importRateDeck: defineEndpoint({
    method: 'POST',
    path: `${deckPath}/import`,
    summary:
      'Imports a CSV file of up to 20 MB. Columns, date order and billing blocks are taken from the body, otherwise from the last import, otherwise detected from the file. If dry_run is true, the response is the same as that of the preview and nothing is changed.',
    body: importRateDeckBody,
    answer: {
      status: 200,
      body: z.union([z.strictObject({ import: rateImportResource }), rateImportDryRun]),
    },
    errors: ['not_found', ...repeats],
    role: 'own',
    oneTenantSession: false,
    maxBodyBytes: MAX_IMPORT_BODY_BYTES,
    longTexts: true,
    example: {
      path: { deckId: 20 },
      body: bodyExample,
      answer: {
        import: {
          id: 32,
          kind: 'FILE',
          mode: 'CHANGES',
          fileName: 'carrier-2026-02.csv',
          note: null,
          ...counts,
          createdAt: '2026-01-06T10:00:00.000Z',
        },
      },
    },
  }),
  previewRateImport: defineEndpoint({
    method: 'POST',
    path: `${deckPath}/import/preview`,
    summary: 'Shows how a CSV file would be read and what importing it would change. Nothing is changed.',
    body: importRateDeckBody,
    answer: { status: 200, body: rateImportDryRun },
    errors: ['not_found', ...repeats],
    role: 'own',
    oneTenantSession: false,
    maxBodyBytes: MAX_IMPORT_BODY_BYTES,
    longTexts: true,
    example: { path: { deckId: 20 }, body: bodyExample, answer: dryRunExample },
  }),
};
