import { pruneRefusals } from '@clarion/core/trunk/prune-refusals';
import type { WorkerTask } from './index.ts';

/** Every hour: refused calls that are older than the diagnostics show are deleted. */
export const pruneRefusalsTask: WorkerTask<'prune-refusals'> = async (_, { db, now, log }) => {
  const deleted = await pruneRefusals(db, now());
  if (deleted > 0) log.info({ deleted }, 'old refused calls were deleted');
};
