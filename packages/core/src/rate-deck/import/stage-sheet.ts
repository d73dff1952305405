/** Stores the rows of a file outside the transaction of the import: reading a large file takes seconds. */
import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@clarion/db';
import { copyInto, copyLine, poolOf } from '@clarion/db';
import type { RateImportReading } from '@clarion/protocol/v1/price/rate-import-resources';
import type { ImportRateDeck } from '@clarion/protocol/v1/price/rate-imports';
import type { SheetRow } from '../../rating/sheet/sheet-row.ts';
import { readRows } from './read-sheet.ts';
import type { LineRead } from './read-sheet.ts';

export interface SkippedRow {
  line: number;
  reason: string;
}

export interface StagedSheet {
  importId: string;
  /** Rows with a price. */
  rows: number;
  skipped: number;
  /** The first ones. */
  skippedRows: SkippedRow[];
}

/** The most skipped rows and changes that an answer lists. */
export const LISTED_ROWS = 100;
/** What a process that died has staged is deleted after this time. */
const ABANDONED_AFTER_MINUTES = 60;

/** Rows are sent to the database so much at a time: each message costs both sides as much as a few rows. */
const COPIED_CHARS = 64 * 1024;

const STAGE = `
  copy "RateStaging" ("importId", "line", "prefix", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee",
    "effectiveFrom") from stdin`;

export async function stageSheet(
  db: Database,
  input: ImportRateDeck,
  reading: RateImportReading,
): Promise<StagedSheet> {
  const staged: StagedSheet = { importId: randomUUID(), rows: 0, skipped: 0, skippedRows: [] };
  await db.$executeRaw`
    delete from "RateStaging" where "stagedAt" < now() - make_interval(mins => ${ABANDONED_AFTER_MINUTES})`;
  await copyInto(poolOf(db), STAGE, linesOf(staged, readRows(input, reading)));
  return staged;
}

/** The rows with a price, and the prefixes of others; both kinds are counted in `staged`. */
async function* linesOf(staged: StagedSheet, batches: AsyncIterable<LineRead[]>): AsyncGenerator<string> {
  let lines = '';
  for await (const batch of batches) {
    for (const read of batch) {
      if ('row' in read) {
        lines += stagingLine(staged.importId, read.line, read.row);
        staged.rows += 1;
      } else {
        if (read.prefix !== undefined) lines += unreadLine(staged.importId, read.line, read.prefix);
        skip(staged, { line: read.line, reason: read.skipped });
      }
    }
    if (lines.length < COPIED_CHARS) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}

const stagingLine = (importId: string, line: number, row: SheetRow): string =>
  copyLine([
    importId,
    line,
    row.prefix,
    row.destination,
    row.rate,
    row.initialSeconds,
    row.incrementSeconds,
    row.connectionFee,
    row.effectiveFrom?.toISOString() ?? null,
  ]);

const unreadLine = (importId: string, line: number, prefix: string): string =>
  copyLine([importId, line, prefix, null, null, null, null, null, null]);

export async function unstage(db: Tx, { importId }: StagedSheet): Promise<void> {
  await db.$executeRaw`delete from "RateStaging" where "importId" = ${importId}::uuid`;
}

function skip(staged: StagedSheet, row: SkippedRow): void {
  staged.skipped += 1;
  if (staged.skippedRows.length < LISTED_ROWS) staged.skippedRows.push(row);
}
