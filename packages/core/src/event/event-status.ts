/**
 * The status of an event follows from two rows: it is PENDING while it has a delivery (claim-deliveries.ts). Its own row says only why it was
 * not delivered, so that an attempt that succeeds does not change it.
 */
import type { Event, EventDelivery, Prisma } from '@clarion/db';
import type { EventStatus } from '@clarion/protocol/v1/account/events';

/** An event with its delivery. */
export type EventRow = Event & { delivery: EventDelivery | null };

export const statusOf = ({ delivery, undelivered }: EventRow): EventStatus =>
  delivery ? 'PENDING' : (undelivered ?? 'DELIVERED');

/** The events of a status. Sending an event again clears `undelivered`. */
export const IN_STATUS = {
  PENDING: { delivery: { isNot: null } },
  DELIVERED: { delivery: { is: null }, undelivered: null },
  FAILED: { undelivered: 'FAILED' },
  DISCARDED: { undelivered: 'DISCARDED' },
} satisfies Record<EventStatus, Prisma.EventWhereInput>;
