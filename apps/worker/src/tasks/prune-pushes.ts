import { prunePushes } from '@clarion/core/push/deliver/prune-pushes';
import type { WorkerTask } from './index.ts';

/** Every hour: deletes push notifications that are older than a day. */
export const prunePushesTask: WorkerTask<'prune-pushes'> = async (_, { db, now, log }) => {
  const deleted = await prunePushes(db, now());
  if (deleted > 0) log.info({ deleted }, 'purged old push notifications');
};
