/** Runs a transaction again after a conflict: a stale version, a serialization failure or a deadlock. */
import { Prisma, transactionThenNotify } from '@clarion/db';
import type { Database, Tx } from '@clarion/db';
import { z } from 'zod';
import { inTransaction, isRoot } from './context.ts';
import { TRANSACTION_LIMITS } from './transaction-limits.ts';

/** In every round one of the competing transactions succeeds, so this many conflicts indicate a bug. */
const MAX_ATTEMPTS = 10;

/** A row is no longer at the version that was loaded. Load it again. */
export class VersionConflict extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VersionConflict';
  }
}

/** Runs `work` in its own transaction. */
export const retryOnConflict = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retrying(() => transactionThenNotify(db, work, TRANSACTION_LIMITS));

/** The same for a verb, like `inTransaction`: inside an open transaction, the code that opened it retries. */
export async function retryingTransaction<C extends { db: Tx }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  if (!isRoot(ctx.db)) return work(ctx);
  return retrying(() => inTransaction(ctx, work));
}

async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || count >= MAX_ATTEMPTS) throw error;
    }
  }
}

/** PostgreSQL's serialization failure and deadlock as Prisma reports them: for its own statements, and for raw ones by their code. */
const PRISMA_WRITE_CONFLICT = 'P2034';
const PRISMA_RAW_FAILURE = 'P2010';
const rawConflict = z.object({
  driverAdapterError: z.object({ cause: z.object({ originalCode: z.enum(['40001', '40P01']) }) }),
});

/** True if a retry can succeed. */
export function isConflict(error: unknown): boolean {
  if (error instanceof VersionConflict) return true;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  if (error.code === PRISMA_RAW_FAILURE) return rawConflict.safeParse(error.meta).success;
  return error.code === PRISMA_WRITE_CONFLICT;
}
