/** Imports a carrier's file into a rate deck, or shows what importing it would change (docs/requirements.md#prices). */
import { ApiError, invalidField, rateDeckReading, tooLarge } from '@clarion/protocol';
import type { RateDeckReading } from '@clarion/protocol';
import type { Prisma, RateDeck } from '@clarion/db';
import type {
  RateImportDryRun,
  RateImportReading,
  RateImportResource,
} from '@clarion/protocol/v1/price/rate-import-resources';
import { MAX_CSV_BYTES } from '@clarion/protocol/v1/price/rate-imports';
import type { ImportRateDeck } from '@clarion/protocol/v1/price/rate-imports';
import { audit, inTransaction, isRoot } from '../../context.ts';
import type { DeckCtx } from '../deck-of.ts';
import type { Prepared } from '../../prepared.ts';
import { leftOutOf } from '../../rating/sheet/columns.ts';
import { deckOf, lockDeck } from '../deck-of.ts';
import { presentImport } from '../present.ts';
import { applyImport } from './apply-import.ts';
import { firstChanges, planImport } from './plan-import.ts';
import type { ImportPlan } from './plan-import.ts';
import { bytesOf, readLayout } from './read-sheet.ts';
import { LISTED_ROWS, stageSheet, unstage } from './stage-sheet.ts';
import type { StagedSheet } from './stage-sheet.ts';

/** For a file of 20 MB, about 400,000 rows, on a slow machine. */
export const IMPORT_LIMITS = { timeout: 90_000 };

/**
 * Reads and stages the file; `commit` imports it.
 *
 * @throws 404; 413; 400 naming `csv` or `columns`
 */
export async function importRateDeck(
  ctx: DeckCtx,
  deckId: number,
  input: ImportRateDeck,
): Promise<Prepared<RateImportResource, DeckCtx>> {
  const { staged, reading } = await stage(ctx, deckId, input);
  if (!staged) {
    const [first = 'prefix'] = reading.missing;
    throw invalidField('columns', `The file has no column for the ${first}. Name it in columns.${first}.`);
  }
  const discard = () => unstage(rootOf(ctx), staged);
  if (staged.rows === 0) {
    await discard();
    const [skipped] = staged.skippedRows;
    throw invalidField(
      'csv',
      `csv has no row that can be imported.${skipped ? ` Line ${skipped.line}: ${skipped.reason}` : ''}`,
    );
  }
  return {
    discard,
    commit: (committing) =>
      inTransaction(
        committing,
        (inner) => commitImport(inner, deckId, { input, reading, staged }),
        IMPORT_LIMITS,
      ),
  };
}

/** @throws 404; 413; 400 naming `csv` or `columns` */
export async function previewRateImport(
  ctx: DeckCtx,
  deckId: number,
  input: ImportRateDeck,
): Promise<RateImportDryRun> {
  const { staged, reading } = await stage(ctx, deckId, input);
  if (!staged) return { reading, preview: null };
  const { mode } = input;
  try {
    return await inTransaction(
      { ...ctx, db: rootOf(ctx) },
      async ({ db, now }) => {
        const plan = await planImport(db, { deckId, staged, mode, now });
        const changes = await firstChanges(db, plan);
        const preview = { mode, ...countsOf(staged, plan), changes, skippedRows: skippedOf(staged, plan) };
        return { reading, preview };
      },
      IMPORT_LIMITS,
    );
  } finally {
    await unstage(rootOf(ctx), staged);
  }
}

/** `staged` is null if a required column was not found. */
async function stage(
  ctx: DeckCtx,
  deckId: number,
  input: ImportRateDeck,
): Promise<{ reading: RateImportReading; staged: StagedSheet | null }> {
  if ((await bytesOf(input.csv)) > MAX_CSV_BYTES) throw tooLarge('20 MB of CSV');
  const deck = await deckOf(ctx, deckId);
  const reading = await readLayout(input, lastReadingOf(deck));
  if (reading.missing.length > 0) return { reading, staged: null };
  return { reading, staged: await stageSheet(rootOf(ctx), input, reading) };
}

interface StagedImport {
  input: ImportRateDeck;
  reading: RateImportReading;
  staged: StagedSheet;
}

async function commitImport(
  inner: DeckCtx,
  deckId: number,
  { input, reading, staged }: StagedImport,
): Promise<RateImportResource> {
  const { db, now } = inner;
  const { mode, fileName } = input;
  const deck = await lockDeck(inner, deckId);
  const planInput = { deckId, staged, mode, now };
  const plan = await planImport(db, planInput);
  await applyImport(db, planInput, plan);
  await unstage(db, staged);
  const row = await db.rateImport.create({
    data: { deckId, kind: 'FILE', mode, fileName, ...countsOf(staged, plan), createdAt: now },
  });
  await db.rateDeck.update({
    where: { id: deckId },
    data: { lastReading: rememberedOf(reading, lastReadingOf(deck)) as Prisma.InputJsonObject },
  });
  await audit(inner, {
    action: 'rate_deck.import',
    target: String(deckId),
    details: { mode, fileName, added: row.added, changed: row.changed, ended: row.ended },
  });
  return presentImport(row);
}

function lastReadingOf({ lastReading }: RateDeck): RateDeckReading | null {
  return lastReading === null ? null : rateDeckReading.parse(lastReading);
}

/** An order of dates that nothing shows is not remembered. */
const rememberedOf = (
  { columns, found, dates, periods }: RateImportReading,
  last: RateDeckReading | null,
): RateDeckReading => ({
  columns,
  leftOut: leftOutOf({ columns, found }),
  dateFormat: dates.sure ? dates.format : (last?.dateFormat ?? null),
  initialSeconds: periods.initialSeconds,
  incrementSeconds: periods.incrementSeconds,
});

const countsOf = (staged: StagedSheet, { added, changed, ended, unchanged, repeated }: ImportPlan) => ({
  rows: staged.rows + staged.skipped,
  added,
  changed,
  ended,
  unchanged,
  skipped: staged.skipped + repeated,
});

const skippedOf = (staged: StagedSheet, { repeatedRows }: ImportPlan) =>
  [...staged.skippedRows, ...repeatedRows].toSorted((a, b) => a.line - b.line).slice(0, LISTED_ROWS);

/** Staging is not part of a transaction, so the verb must not be called inside one. */
function rootOf({ db }: DeckCtx) {
  if (!isRoot(db)) throw new ApiError('internal_error');
  return db;
}
