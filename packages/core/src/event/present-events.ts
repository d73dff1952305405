import type { EventResource } from '@clarion/protocol/v1/account/events';
import type { Tx } from '@clarion/db';
import type { EventRow } from './event-status.ts';
import { presentEvent } from './present.ts';

/** Events as resources, each with its attempts. */
export async function presentEvents(
  db: Pick<Tx, 'eventAttempt'>,
  rows: readonly EventRow[],
): Promise<EventResource[]> {
  const attempts = await db.eventAttempt.findMany({
    where: { eventRowId: { in: rows.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  });
  const byEvent = Map.groupBy(attempts, ({ eventRowId }) => eventRowId);
  return rows.map((row) => presentEvent(row, byEvent.get(row.id) ?? []));
}

export async function presentOneEvent(db: Pick<Tx, 'eventAttempt'>, row: EventRow): Promise<EventResource> {
  const [event] = await presentEvents(db, [row]);
  if (!event) throw new Error('an event was not presented');
  return event;
}
