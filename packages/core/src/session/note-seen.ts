import { Prisma } from '@clarion/db';
import type { Tx } from '@clarion/db';

/** When sessions were last used, many in one statement, in one order, so that two processes cannot wait for each other. */
export async function noteSeen(db: Tx, seen: ReadonlyMap<number, Date>): Promise<void> {
  if (seen.size === 0) return;
  const rows = [...seen]
    .toSorted(([a], [b]) => a - b)
    .map(([id, at]) => Prisma.sql`(${id}::int, ${at}::timestamptz)`);
  await db.$executeRaw`
    update "DashboardSession" as s set "lastSeenAt" = seen."at"
    from (values ${Prisma.join(rows)}) as seen ("id", "at")
    where s."id" = seen."id" and s."lastSeenAt" < seen."at"`;
}
