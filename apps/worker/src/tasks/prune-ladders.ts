import { pruneLadders } from '@clarion/core/ladder/prune-ladders';
import type { WorkerTask } from './index.ts';

/** Every hour: deletes SIP ladders that are older than a week. */
export const pruneLaddersTask: WorkerTask<'prune-ladders'> = async (_, { db, now, log }) => {
  const deleted = await pruneLadders(db, now());
  if (deleted > 0) log.info({ deleted }, 'purged old SIP ladders');
};
