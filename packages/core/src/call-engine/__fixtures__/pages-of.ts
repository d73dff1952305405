import type { Database } from '@clarion/db';

/** Pages of tables and indexes that the statement touches, with current statistics of the tables that queues are read from. */
export async function pagesOf(db: Database, text: string, values: unknown[]): Promise<number> {
  await db.$executeRaw`analyze "LiveCall", "Agent", "QueueMember", "AgentConnection", "Queue"`;
  const row = await db.$transaction(async (tx) => {
    // The connection's first call also reads the catalogue, for the plan.
    await tx.$queryRawUnsafe(text, ...values);
    const [explained] = await tx.$queryRawUnsafe<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }[]>(
      `explain (analyze, buffers, format json) ${text}`,
      ...values,
    );
    return explained;
  });
  const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}
