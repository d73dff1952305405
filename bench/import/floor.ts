/**
 * The least that PostgreSQL needs for the rows of a file: COPY from the disk into a staging table, and one insert-select: into a deck, with the
 * indexes and constraints of its entries, and for comparison into a table with its indexes only. For a file that changes every rate: the same
 * COPY, an update that ends the entries, and one insert-select of the new ones into the same deck.
 */
import { poolOf } from '@clarion/db';
import type { Database } from '@clarion/db';

export interface Floor {
  copyMs: number;
  insertMs: number;
  /** Into a table without foreign key, and in which prices may overlap. */
  indexesMs: number;
  /** Ends the entries, and inserts the new ones. */
  endMs: number;
  insertAgainMs: number;
}

/** When the prices begin, and the prices that replace them. */
const FIRST = '2026-01-01Z';
const SECOND = '2026-02-01Z';

/** @param file on the server's disk, readable by it; @param deckId an empty deck, which is emptied again */
export async function floorOf(db: Database, file: string, deckId: number): Promise<Floor> {
  const connection = await poolOf(db).connect();
  const timed = async (statement: string): Promise<number> => {
    const beganAt = performance.now();
    await connection.query(statement);
    return performance.now() - beganAt;
  };
  const insertInto = (table: string, from: string) =>
    timed(`
      insert into ${table} ("deckId", "prefix", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee", "effectiveFrom")
      select ${deckId}, prefix, destination, rate, initial, increment, 0, '${from}' from floor_staging`);
  try {
    await connection.query('create table floor_entry (like "RateEntry" including all)');
    await connection.query(
      'create unlogged table floor_staging (prefix text, destination text, rate numeric(18,6), "from" timestamptz, initial int, increment int)',
    );
    const copyMs = await timed(
      `copy floor_staging from '${file.replaceAll("'", "''")}' with (format csv, header true)`,
    );
    const insertMs = await insertInto('"RateEntry"', FIRST);
    const indexesMs = await insertInto('floor_entry', FIRST);
    const endMs = await timed(
      `update "RateEntry" set "effectiveTo" = '${SECOND}' where "deckId" = ${deckId}`,
    );
    const insertAgainMs = await insertInto('"RateEntry"', SECOND);
    await connection.query('truncate "RateEntry"');
    await connection.query('drop table floor_entry, floor_staging');
    return { copyMs, insertMs, indexesMs, endMs, insertAgainMs };
  } finally {
    connection.release();
  }
}
