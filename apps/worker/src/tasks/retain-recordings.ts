import { retainRecordings } from '@clarion/core/recording/retain-recordings';
import { ApiError } from '@clarion/protocol';
import type { WorkerTask } from './index.ts';

/** Every hour: deletes recordings that are older than their tenant's retention. */
export const retainRecordingsTask: WorkerTask<'retain-recordings'> = async (_, { db, store, now, log }) => {
  try {
    const deleted = await retainRecordings({ db, store, now: now() });
    if (deleted > 0) log.info({ deleted }, 'purged recordings past their retention period');
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'storage_unavailable') throw error;
    log.warn({ err: error }, 'recording retention skipped until the next run: storage is unavailable');
  }
};
