import { deliverEvent } from '@clarion/core/event/deliver-event';
import type { WorkerTask } from './index.ts';

/** One delivery attempt. Its verb schedules the next one: the task itself succeeds whatever the endpoint answered. */
export const deliverEventTask: WorkerTask<'deliver-event'> = async ({ eventId }, ctx) => {
  const outcome = await deliverEvent(ctx, eventId);
  ctx.deliveries.inc({ outcome });
  ctx.log.debug({ eventId, outcome }, 'delivery attempt');
};
