import { ApiError } from '@clarion/protocol';
import { enqueue } from '@clarion/db';
import type { WorkerTask } from './index.ts';

/** A store that is away is asked again after this. */
const STORE_AWAY_RETRY_MS = 5 * 60_000;

/** Removes a file whose row is gone already; one that is missing is removed. */
export const removeFileTask: WorkerTask<'remove-file'> = async (file, ctx) => {
  try {
    await ctx.store.remove(file);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'storage_unavailable') throw error;
    ctx.log.warn({ err: error, ...file }, 'file not removed, will retry: storage is unavailable');
    const runAt = new Date(ctx.now().getTime() + STORE_AWAY_RETRY_MS);
    await enqueue(ctx.db, 'remove-file', file, { key: `remove-file:${file.key}`, runAt });
  }
};
