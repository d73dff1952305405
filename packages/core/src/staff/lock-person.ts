import type { Tx } from '@clarion/db';

/**
 * Locks a person until the end of the transaction. Code that changes a person's links locks the person first: transactions that locked
 * several links in different orders would deadlock.
 */
export async function lockPerson(tx: Tx, staffUserId: number): Promise<void> {
  await tx.$queryRaw`select 1 from "StaffUser" where "id" = ${staffUserId} for update`;
}
