import type { Database } from '@clarion/db';

/** A line with this address on the trunk, whose calls wait in a queue without members. */
export async function queueLine(
  db: Database,
  line: { tenantId: number; sipTrunkId: number; address: string },
): Promise<void> {
  const queue = await db.queue.create({ data: { tenantId: line.tenantId, ref: 'sales', name: 'Sales' } });
  await db.channel.create({ data: { ...line, ref: 'main', type: 'SIP', inboundQueueId: queue.id } });
}
