/**
 * Statements that run every second or so, prepared once on each connection instead of parsed and planned at each execution, which for some of them
 * takes longer than the execution.
 */
import { createHash } from 'node:crypto';
import { poolOf } from './database.ts';
import type { Database } from './database.ts';
import type { Prisma } from './generated/client.ts';

/** PostgreSQL keeps a prepared statement until its connection ends. Further texts run unprepared. */
const MOST_TEXTS = 100;
const names = new Map<string, string>();

/**
 * Runs a statement outside of any transaction. Not for tables that may grow fast: the plan of a connection may have been made while a table was
 * small, and reads all of it until PostgreSQL analyzes the table again.
 *
 * @param statement its text must be one of a few: a list is one parameter, an array
 * @returns the rows as pg reads them: timestamps are Dates, `bigint` and `numeric` are strings
 */
export async function runPrepared<R extends object>(
  database: Database,
  { text, values }: Prisma.Sql,
): Promise<R[]> {
  const name = nameOf(text);
  const { rows } = await poolOf(database).query<R>({ ...(name !== null && { name }), text, values });
  return rows;
}

function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= MOST_TEXTS) return null;
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  names.set(text, name);
  return name;
}
