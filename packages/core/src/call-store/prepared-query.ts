import { poolOf } from '@clarion/db';
import type { Database, Prisma } from '@clarion/db';

/**
 * Runs a query of the call path without Prisma. `name` is that of the statement that each connection prepares, so one name always has the
 * same text.
 */
export async function preparedQuery<Row extends object>(
  db: Database,
  name: string,
  { text, values }: Prisma.Sql,
): Promise<Row[]> {
  const { rows } = await poolOf(db).query<Row>({ name, text, values });
  return rows;
}
