/**
 * A verb in two halves. The first takes long or reaches outside (decodes a sound, stores files), holds no transaction and can be
 * undone; the second is the change itself. Whoever runs it may add to the second half's transaction.
 */
import type { Ctx } from './context.ts';

export interface Prepared<T> {
  /** May be run again after a transaction that was undone. */
  commit(ctx: Ctx): Promise<T>;
  /** Undoes the first half, as far as it can: after a commit that failed for good. */
  discard(): Promise<void>;
}

/** Runs the second half by `commit`, or undoes the first. */
export async function commitPrepared<T, R>(
  prepared: Prepared<T>,
  commit: (prepared: Prepared<T>) => Promise<R>,
): Promise<R> {
  try {
    return await commit(prepared);
  } catch (error) {
    await prepared.discard();
    throw error;
  }
}
