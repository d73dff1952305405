import { Prisma } from '@clarion/db';
import type { Tx } from '@clarion/db';

/** Stored with a precision of one minute: it is written at most this often. */
export const LAST_USE_EVERY_MS = 60_000;

const kept = {
  apiKey: { table: Prisma.sql`"ApiKey"`, column: Prisma.sql`"lastUsedAt"` },
  session: { table: Prisma.sql`"DashboardSession"`, column: Prisma.sql`"lastSeenAt"` },
};

/**
 * Stores when API keys or sessions were last used, by ID: many in one statement, ordered so that two processes do not deadlock, and never
 * with an earlier time than the stored one.
 */
export async function noteLastUse(
  db: Tx,
  of: keyof typeof kept,
  uses: ReadonlyMap<number, Date>,
): Promise<void> {
  if (uses.size === 0) return;
  const { table, column } = kept[of];
  const rows = [...uses]
    .toSorted(([a], [b]) => a - b)
    .map(([id, at]) => Prisma.sql`(${id}::int, ${at}::timestamptz)`);
  await db.$executeRaw`
    update ${table} as kept set ${column} = used."at"
    from (values ${Prisma.join(rows)}) as used ("id", "at")
    where kept."id" = used."id" and (kept.${column} is null or kept.${column} < used."at")`;
}
