/** Runs a transaction again after a conflict: a stale version, a serialization failure or a deadlock. */
import { Prisma } from '@clarion/db';
import type { Database, Tx } from '@clarion/db';
import { transact } from './announce-deliveries.ts';
import { inTransaction, isRoot } from './context.ts';
import { sqlStateOf } from './sql-state.ts';

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
  retrying(() => transact(db, work));

/** The same for a verb, like `inTransaction`: inside an open transaction, the code that opened it retries. */
export async function retryingTransaction<C extends { db: Tx }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
  limits: { timeout?: number } = {},
): Promise<T> {
  if (!isRoot(ctx.db)) return work(ctx);
  return retrying(() => inTransaction(ctx, work, limits));
}

/** Runs `attempt` again after a conflict. It begins from what is in the database then. */
export async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || count >= MAX_ATTEMPTS) throw error;
    }
  }
}

/** PostgreSQL's serialization failure and deadlock, and Prisma's code for both in its own statements. */
const WRITE_CONFLICTS: (string | null)[] = ['40001', '40P01'];
const PRISMA_WRITE_CONFLICT = 'P2034';

/** True if a retry can succeed. */
export const isConflict = (error: unknown): boolean =>
  error instanceof VersionConflict ||
  WRITE_CONFLICTS.includes(sqlStateOf(error)) ||
  (error instanceof Prisma.PrismaClientKnownRequestError && error.code === PRISMA_WRITE_CONFLICT);
