/** Stores the rows of a file outside the transaction of the import: reading a large file takes seconds. */
import { randomUUID } from 'node:crypto';
import type { Database } from '@clarion/db';
import { poolOf } from '@clarion/db';
import type { RateImportReading } from '@clarion/protocol/v1/price/rate-import-resources';
import type { ImportRateDeck } from '@clarion/protocol/v1/price/rate-imports';
import type { SheetRow } from '../../rating/sheet/sheet-row.ts';
import { readRows } from './read-sheet.ts';

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

const STAGE = {
  name: 'stage-rates',
  text: `
    insert into "RateStaging" ("importId", "line", "prefix", "destination", "rate", "initialSeconds", "incrementSeconds",
      "connectionFee", "effectiveFrom")
    select $1::uuid, * from unnest($2::int[], $3::text[], $4::text[], $5::numeric[], $6::int[], $7::int[], $8::numeric[],
      $9::timestamptz[])`,
};

export async function stageSheet(
  db: Database,
  input: ImportRateDeck,
  reading: RateImportReading,
): Promise<StagedSheet> {
  const staged: StagedSheet = { importId: randomUUID(), rows: 0, skipped: 0, skippedRows: [] };
  await db.$executeRaw`
    delete from "RateStaging" where "stagedAt" < now() - make_interval(mins => ${ABANDONED_AFTER_MINUTES})`;
  try {
    for await (const batch of readRows(input, reading)) {
      const priced: (SheetRow & { line: number })[] = [];
      for (const read of batch) {
        if ('row' in read) priced.push({ line: read.line, ...read.row });
        else skip(staged, { line: read.line, reason: read.skipped });
      }
      staged.rows += priced.length;
      if (priced.length > 0) await insert(db, staged.importId, priced);
    }
  } catch (error) {
    await unstage(db, staged);
    throw error;
  }
  return staged;
}

export async function unstage(db: Database, { importId }: StagedSheet): Promise<void> {
  await db.rateStaging.deleteMany({ where: { importId } });
}

function skip(staged: StagedSheet, row: SkippedRow): void {
  staged.skipped += 1;
  if (staged.skippedRows.length < LISTED_ROWS) staged.skippedRows.push(row);
}

async function insert(
  db: Database,
  importId: string,
  rows: readonly (SheetRow & { line: number })[],
): Promise<void> {
  const column = <T>(of: (row: SheetRow & { line: number }) => T): T[] => rows.map(of);
  await poolOf(db).query({
    ...STAGE,
    values: [
      importId,
      column(({ line }) => line),
      column(({ prefix }) => prefix),
      column(({ destination }) => destination),
      column(({ rate }) => rate),
      column(({ initialSeconds }) => initialSeconds),
      column(({ incrementSeconds }) => incrementSeconds),
      column(({ connectionFee }) => connectionFee),
      column(({ effectiveFrom }) => effectiveFrom?.toISOString() ?? null),
    ],
  });
}
