/** Locks a trunk for a row that will refer to it. */
import { notFound } from '@clarion/protocol';
import type { OperatorCtx } from '../consumer/operator.ts';

/**
 * Runs in a transaction: until its end, the trunk cannot be deleted.
 *
 * @throws 404
 */
export async function lockTrunk({ db }: Pick<OperatorCtx, 'db'>, trunkId: number): Promise<void> {
  const rows = await db.$queryRaw<unknown[]>`select 1 from "SipTrunk" where "id" = ${trunkId} for key share`;
  if (rows.length === 0) throw notFound(`The trunk ${trunkId}`);
}
