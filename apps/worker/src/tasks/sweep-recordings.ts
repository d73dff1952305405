import { sweepRecordings } from '@clarion/core/recording/sweep-recordings';
import type { WorkerTask } from './index.ts';

/** Every ten minutes: marks recordings that will not arrive any more as failed. */
export const sweepRecordingsTask: WorkerTask<'sweep-recordings'> = async (_, ctx) => {
  const failed = await sweepRecordings(ctx.db, ctx.now());
  if (failed > 0) ctx.log.warn({ failed }, 'recordings did not arrive in time and were marked as failed');
};
