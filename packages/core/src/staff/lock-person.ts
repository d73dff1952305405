import type { Tx } from '@clarion/db';

/**
 * Until the end of the transaction. Whoever changes a person's links locks the person first: transactions that took the locks of several
 * links in different orders would deadlock.
 */
export async function lockPerson(tx: Tx, staffUserId: number): Promise<void> {
  await tx.$queryRaw`select 1 from "StaffUser" where "id" = ${staffUserId} for update`;
}
