import { pruneFailedFacts } from '@clarion/core/call-engine/failed-facts';
import type { WorkerTask } from './index.ts';

/** Every hour: deletes media facts that failed long ago. */
export const pruneFailedFactsTask: WorkerTask<'prune-failed-facts'> = async (_, { db, now, log }) => {
  const deleted = await pruneFailedFacts(db, now());
  if (deleted > 0) log.info({ deleted }, 'purged old failed facts');
};
