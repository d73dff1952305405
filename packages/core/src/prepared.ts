/**
 * A verb in two steps. The first takes long or uses other systems (decodes audio, stores files), needs no transaction and can be undone.
 * The second is the change itself, and the caller may add to its transaction.
 */
import type { Ctx } from './context.ts';

export interface Prepared<T, C = Ctx> {
  /** May be run again if its transaction was rolled back. */
  commit(ctx: C): Promise<T>;
  /** Undoes the first step as far as possible, after a commit that failed permanently. */
  discard(): Promise<void>;
}

/** Runs the second step with `commit`, or undoes the first. */
export async function commitPrepared<T, R, C = Ctx>(
  prepared: Prepared<T, C>,
  commit: (prepared: Prepared<T, C>) => Promise<R>,
): Promise<R> {
  try {
    return await commit(prepared);
  } catch (error) {
    await prepared.discard();
    throw error;
  }
}
