/** Reads a deck into an index, a page at a time, so that neither memory nor the event loop is taken by a large deck. */
import type { Database } from '@clarion/db';
import { poolOf } from '@clarion/db';
import { DeckIndexBuilder } from '../rating/deck-index.ts';
import type { DeckIndex, IndexRow } from '../rating/deck-index.ts';

/** A page is parsed and added in about 2 ms. */
const PAGE_ROWS = 500;

/** $1: deck, $2: time. In the order of an index of the table; text and integers are cheap to parse. */
const OPEN = `
  declare rates no scroll cursor for
  select "prefix", "id", ("rate" * 1000000)::bigint, ("connectionFee" * 1000000)::bigint, "initialSeconds", "incrementSeconds",
    (extract(epoch from "effectiveFrom") * 1000)::bigint, (extract(epoch from "effectiveTo") * 1000)::bigint
  from "RateEntry"
  where "deckId" = $1 and ("effectiveTo" is null or "effectiveTo" > $2::timestamptz)
  order by "prefix", "effectiveFrom"`;

/** As text. */
type Cells = [
  prefix: string,
  id: string,
  rate: string,
  fee: string,
  initialSeconds: string,
  incrementSeconds: string,
  from: string,
  to: string | null,
];
const asText = { getTypeParser: () => String };
const FETCH = { text: `fetch ${PAGE_ROWS} from rates`, rowMode: 'array' as const, types: asText };

/**
 * The entries of one moment (a snapshot) that have not ended at `since`, so that the index answers for that time and later ones.
 *
 * @param goOn asked for each page, with what is loaded so far
 * @returns null if the load did not go on
 */
export async function loadIndex(
  db: Database,
  { deckId, since, goOn }: { deckId: number; since: Date; goOn: (loaded: { bytes: number }) => boolean },
): Promise<DeckIndex | null> {
  const connection = await poolOf(db).connect();
  let failure: Error | undefined;
  // A lost connection also rejects the query; without a listener it would end the process.
  const onLoss = () => undefined;
  connection.on('error', onLoss);
  try {
    await connection.query('begin isolation level repeatable read read only');
    await connection.query(OPEN, [deckId, since.toISOString()]);
    const builder = new DeckIndexBuilder();
    let isComplete = false;
    while (!isComplete && goOn(builder)) {
      const { rows } = await connection.query<Cells>(FETCH);
      for (const cells of rows) builder.add(rowOf(cells));
      isComplete = rows.length < PAGE_ROWS;
    }
    await connection.query('commit');
    return isComplete && goOn(builder) ? builder.build() : null;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw failure;
  } finally {
    // After a failure the connection is closed, and may report its loss later.
    if (!failure) connection.off('error', onLoss);
    connection.release(failure);
  }
}

const rowOf = ([prefix, id, rate, fee, initialSeconds, incrementSeconds, from, to]: Cells): IndexRow => ({
  prefix,
  entryId: Number(id),
  ratePerMinute: BigInt(rate),
  connectionFee: BigInt(fee),
  initialSeconds: Number(initialSeconds),
  incrementSeconds: Number(incrementSeconds),
  effectiveFrom: Number(from),
  effectiveTo: to === null ? null : Number(to),
});
