import { pruneWithdrawnInvites } from '@clarion/core/call-engine/withdraw-invite';
import { pruneRefusals } from '@clarion/core/trunk/prune-refusals';
import type { WorkerTask } from './index.ts';

/** Every hour: deletes rejected calls that are older than the period of the diagnostics, and old withdrawals of INVITEs. */
export const pruneRefusalsTask: WorkerTask<'prune-refusals'> = async (_, { db, now, log }) => {
  const deleted = await pruneRefusals(db, now());
  if (deleted > 0) log.info({ deleted }, 'purged old SIP refusals');
  await pruneWithdrawnInvites(db, now());
};
