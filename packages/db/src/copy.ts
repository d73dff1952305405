/** Bulk loads with COPY, in its text format (PostgreSQL manual, COPY). */
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { SqlPool } from './pool.ts';

/**
 * Loads lines of `copyLine` into a table: all of them, or none if it throws.
 *
 * @param statement `copy … from stdin`
 * @param lines one or more lines at a time
 */
export async function copyInto(
  pool: SqlPool,
  statement: string,
  lines: AsyncIterable<string>,
): Promise<void> {
  const connection = await pool.connect();
  let failure: Error | undefined;
  try {
    await pipeline(lines, connection.query(from(statement)));
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A connection on which COPY was interrupted is not used again.
    connection.release(failure);
  }
}

/** One row; null is NULL. */
export const copyLine = (values: readonly (string | number | null)[]): string =>
  `${values.map(fieldOf).join('\t')}\n`;

function fieldOf(value: string | number | null): string {
  if (value === null) return '\\N';
  if (typeof value === 'number' || !SPECIAL.test(value)) return String(value);
  return value.replaceAll(EVERY_SPECIAL, (char) => escapes[char] ?? char);
}

const SPECIAL = /[\\\t\n\r]/;
const EVERY_SPECIAL = new RegExp(SPECIAL, 'g');
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
