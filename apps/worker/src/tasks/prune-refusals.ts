import { pruneRefusals } from '@clarion/core/trunk/prune-refusals';
import type { WorkerTask } from './index.ts';

/** Every hour: deletes refused calls older than the period that the diagnostics cover. */
export const pruneRefusalsTask: WorkerTask<'prune-refusals'> = async (_, { db, now, log }) => {
  const deleted = await pruneRefusals(db, now());
  if (deleted > 0) log.info({ deleted }, 'purged old SIP refusals');
};
