/** Every combination of a call list's filters, and which of its statements would scan the whole table. */
import { pageOf } from '@clarion/core/call/list-calls';
import type { CallSelection } from '@clarion/core/call/call-filter';
import { cellsOf } from '@clarion/core/call/call-stats';
import { Prisma } from '@clarion/db';
import type { Database } from '@clarion/db';
import type { History } from './call-history.ts';

const DAY_MS = 86_400_000;

/** One value for each filter of the list. A combination uses some of them. */
export async function filtersOf(
  db: Database,
  { tenantId }: History,
  now: Date,
): Promise<Partial<CallSelection>[]> {
  const where = { tenantId };
  const { id: agentId } = await db.agent.findFirstOrThrow({ where });
  const { id: channelId } = await db.channel.findFirstOrThrow({ where });
  const { id: queueId } = await db.queue.findFirstOrThrow({ where });
  const { customerAddress, externalRef } = await db.call.findFirstOrThrow({
    where,
    orderBy: { id: 'asc' },
    skip: 100,
  });
  return [
    { status: 'TERMINATED' },
    { live: true },
    { direction: 'OUTBOUND' },
    { agentId },
    { channelId },
    { queueId },
    { addresses: [customerAddress ?? ''] },
    { externalRef },
    { from: new Date(now.getTime() - 200.3 * DAY_MS) },
    { to: new Date(now.getTime() - 100.7 * DAY_MS) },
  ];
}

const everyCall = (tenantId: number): CallSelection => ({
  tenantId,
  from: null,
  to: null,
  status: null,
  live: false,
  direction: null,
  agentId: null,
  channelId: null,
  queueId: null,
  addresses: null,
  externalRef: null,
});

/** All 1,024 combinations, and those with the statuses that the first filter does not name. */
export function combinations({ tenantId }: History, filters: Partial<CallSelection>[]): CallSelection[] {
  const every = everyCall(tenantId);
  const all = Array.from({ length: 2 ** filters.length }, (_, bits) =>
    filters.reduce<CallSelection>((sum, filter, i) => (bits & (2 ** i) ? { ...sum, ...filter } : sum), every),
  );
  const others = (['FAILED', 'INITIATED', 'RINGING', 'IN_PROGRESS'] as const).flatMap((status) =>
    all.filter((selection) => selection.status !== null).map((selection) => ({ ...selection, status })),
  );
  return [...all, ...others];
}

/** The statements that scan all of `Call` sequentially: first page, deep page, cursor, statistics. */
export async function sequentialScans(
  db: Database,
  selections: CallSelection[],
  now: Date,
): Promise<string[]> {
  const found: string[] = [];
  for (const selection of selections) {
    const statements = {
      page: pageOf(selection, { limit: 50, page: 3, beforeId: null }),
      deep: pageOf(selection, { limit: 50, page: 10_000, beforeId: null }),
      cursor: pageOf(selection, { limit: 50, page: null, beforeId: 2_000_000_000 }),
      stats: cellsOf(selection, now),
    };
    for (const [name, statement] of Object.entries(statements)) {
      const plan = await db.$queryRaw<object[]>(Prisma.sql`explain (format json) ${statement}`);
      if (readsAll(JSON.stringify(plan))) found.push(`${name} ${JSON.stringify(selection)}`);
    }
  }
  return found;
}

/** Whether a plan, as JSON, contains a sequential scan of `Call`. */
export const readsAll = (plan: string) => /"Node Type": ?"Seq Scan"[^{}]*"Relation Name": ?"Call"/.test(plan);
