/** Exports the entries of a rate deck as a file. */
import { FileAnswer } from '@clarion/protocol/v1/file-answer';
import { CSV, XLSX } from '@clarion/protocol/v1/price/rate-export';
import type { ExportRateDeck } from '@clarion/protocol/v1/price/rate-export';
import type { RateEntry } from '@clarion/db';
import { csvLine } from '../../csv/csv-line.ts';
import type { Cell } from '../../csv/csv-line.ts';
import type { DeckCtx } from '../deck-of.ts';
import { deckOf } from '../deck-of.ts';
import { entryFilter } from '../entry-filter.ts';
import { entryOrder } from '../entry-order.ts';
import { cellsOf, HEADINGS } from './sheet-lines.ts';
import { XlsxFile } from './xlsx-file.ts';

/** Rows that are read, written and compressed before other requests have their turn. */
const BATCH_ROWS = 2_000;

/** @throws 404 */
export async function exportRateDeck(
  ctx: DeckCtx,
  deckId: number,
  { format, sort, ...filters }: ExportRateDeck,
): Promise<FileAnswer> {
  await deckOf(ctx, deckId);
  const where = entryFilter(deckId, filters, ctx.now);
  const ids = await ctx.db.rateEntry.findMany({ where, orderBy: entryOrder(sort), select: { id: true } });
  const fileName = `rate-deck-${deckId}.${format}`;
  if (format === 'csv') {
    let content = csvLine(HEADINGS);
    for await (const rows of batches(ctx, ids)) content += rows.map(csvLine).join('');
    return new FileAnswer({ contentType: CSV, fileName, content });
  }
  const file = new XlsxFile();
  file.add([HEADINGS]);
  for await (const rows of batches(ctx, ids)) file.add(rows);
  return new FileAnswer({ contentType: XLSX, fileName, content: file.end() });
}

/** The cells of the entries, in the order of their IDs. */
async function* batches({ db }: DeckCtx, ids: readonly { id: number }[]): AsyncGenerator<Cell[][]> {
  for (let start = 0; start < ids.length; start += BATCH_ROWS) {
    const batch = ids.slice(start, start + BATCH_ROWS).map(({ id }) => id);
    const found = await db.rateEntry.findMany({ where: { id: { in: batch } } });
    const byId = new Map(found.map((entry) => [entry.id, entry]));
    yield batch
      .map((id) => byId.get(id))
      .filter((entry): entry is RateEntry => entry !== undefined)
      .map(cellsOf);
  }
}
