import { sweepEvents } from '@clarion/core/event/sweep-events';
import type { WorkerTask } from './index.ts';

/** Every minute: adds jobs for pending events that have none. */
export const sweepEventsTask: WorkerTask<'sweep-events'> = async (_, ctx) => {
  const found = await sweepEvents(ctx.db);
  if (found > 0) ctx.log.warn({ found }, 'rescheduled pending events that had no job');
};
