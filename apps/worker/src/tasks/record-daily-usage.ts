import { recordDailyUsage } from '@clarion/core/usage/record-daily-usage';
import type { WorkerTask } from './index.ts';

/** Every hour, so that a day gets its records soon after an interruption: what is charged for the days that have ended. */
export const recordDailyUsageTask: WorkerTask<'record-daily-usage'> = async (_, { db, now, log }) => {
  const written = await recordDailyUsage(db, now());
  if (written > 0) log.info({ written }, 'recorded the usage of the days that have ended');
};
