/** One transaction that starts over when another process was there first. */
import type { Tx } from '@clarion/db';
import { isRace } from './call-engine/step-call.ts';
import { inTransaction, isRoot } from './context.ts';

/** Each round one of the racers wins; this many losses mean a bug. */
const MAX_ATTEMPTS = 10;

/** Like `inTransaction`; inside an open transaction whoever opened it starts over. */
export async function retryingTransaction<C extends { db: Tx }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  if (!isRoot(ctx.db)) return work(ctx);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(ctx, work);
    } catch (error) {
      if (!isRace(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
