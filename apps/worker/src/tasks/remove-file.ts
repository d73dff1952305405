import { ApiError } from '@clarion/protocol';
import { enqueue } from '@clarion/db';
import type { WorkerTask } from './index.ts';

/** Delay before the next attempt if the store is unavailable. */
const STORE_AWAY_RETRY_MS = 5 * 60_000;

/** Deletes a file whose row has been deleted. A missing file counts as deleted. */
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
