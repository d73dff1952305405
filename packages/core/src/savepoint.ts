/** Attempts a part of an open transaction that may fail without ending the transaction. */
import type { Tx } from '@clarion/db';
import { retrying } from './retry-on-conflict.ts';

/** Runs `attempt` again after a conflict. If it throws, its own changes are undone and those before it are kept. */
export const attemptInside = <T>(tx: Tx, attempt: () => Promise<T>): Promise<T> =>
  retrying(async () => {
    await tx.$executeRaw`savepoint attempt`;
    try {
      const result = await attempt();
      await tx.$executeRaw`release savepoint attempt`;
      return result;
    } catch (error) {
      await tx.$executeRaw`rollback to savepoint attempt`;
      throw error;
    }
  });
