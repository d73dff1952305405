import type { Database } from '@clarion/db';
import { announceDeliveries } from '../announce-deliveries.ts';

/**
 * During an upgrade, processes of the version before 20261123124000_event_deliveries still record a delivery as a job. The job's event gets
 * a delivery if it is pending and has none.
 */
export async function adoptDelivery(db: Database, eventId: string): Promise<void> {
  const created = await db.$executeRaw`
    insert into "EventDelivery" ("eventRowId", "consumerId", "dueAt")
    select "id", "consumerId", now() from "Event" where "eventId" = ${eventId}::uuid and "status" = 'PENDING'
    on conflict ("eventRowId") do nothing`;
  if (created > 0) announceDeliveries(db);
}
