import { pruneWithdrawnInvites } from '@clarion/core/call-engine/withdraw-invite';
import { pruneForwardedCalls } from '@clarion/core/forwarding/forwarded-calls';
import { pruneRefusals } from '@clarion/core/trunk/prune-refusals';
import type { WorkerTask } from './index.ts';

/** Every hour: deletes what has been kept for long enough of calls that became no Call: rejected and forwarded ones, and withdrawals. */
export const pruneRefusalsTask: WorkerTask<'prune-refusals'> = async (_, { db, now, log }) => {
  const deleted = await pruneRefusals(db, now());
  if (deleted > 0) log.info({ deleted }, 'purged old SIP refusals');
  await pruneWithdrawnInvites(db, now());
  await pruneForwardedCalls(db, now());
};
