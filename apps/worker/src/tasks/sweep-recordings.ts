import { sweepRecordings } from '@clarion/core/recording/sweep-recordings';
import type { WorkerTask } from './index.ts';

/** Every ten minutes: marks recordings that will not arrive any more as failed. */
export const sweepRecordingsTask: WorkerTask<'sweep-recordings'> = async (_, ctx) => {
  const givenUp = await sweepRecordings(ctx.db, ctx.now());
  if (givenUp > 0) ctx.log.warn({ givenUp }, 'recordings did not arrive in time and were marked as failed');
};
