/**
 * The least that PostgreSQL needs for the rows of a file: COPY from the disk into a staging table, and one insert-select into a table with the
 * indexes and constraints of the entries of rate decks.
 */
import { poolOf } from '@clarion/db';
import type { Database } from '@clarion/db';

export interface Floor {
  copyMs: number;
  insertMs: number;
}

/** @param file on the server's disk, readable by it */
export async function floorOf(db: Database, file: string): Promise<Floor> {
  const connection = await poolOf(db).connect();
  try {
    await connection.query('drop table if exists floor_entry, floor_staging');
    await connection.query('create table floor_entry (like "RateEntry" including all)');
    await connection.query(
      'create unlogged table floor_staging (prefix text, destination text, rate numeric(18,6), "from" timestamptz, initial int, increment int)',
    );
    const beganAt = performance.now();
    await connection.query(
      `copy floor_staging from '${file.replaceAll("'", "''")}' with (format csv, header true)`,
    );
    const copiedAt = performance.now();
    await connection.query(`
      insert into floor_entry ("deckId", "prefix", "destination", "rate", "initialSeconds", "incrementSeconds", "connectionFee", "effectiveFrom")
      select 1, prefix, destination, rate, initial, increment, 0, now() from floor_staging`);
    return { copyMs: copiedAt - beganAt, insertMs: performance.now() - copiedAt };
  } finally {
    connection.release();
  }
}
