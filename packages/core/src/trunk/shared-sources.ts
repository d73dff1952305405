/** Trunks of different owners that list the same addresses of a carrier. */
import type { SipTrunk, TrunkStatus, Tx } from '@clarion/db';

/** Serializes approvals: two overlapping trunks approved at once would not see each other. */
const APPROVAL_LOCK = 1_903_263;

/** Whether some of this trunk's addresses also select an active trunk of another owner. */
export async function sharesSources(tx: Tx, trunk: SipTrunk): Promise<boolean> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${APPROVAL_LOCK}::bigint)`;
  return (await sharingTrunks(tx, trunk, ['ACTIVE'])).length > 0;
}

export type SharingTrunk = Pick<SipTrunk, 'id' | 'name' | 'status'>;

/**
 * Other owners' trunks with some of these addresses. Trunks with `ingressHostOnly` are not selected by address. Addresses of this machine
 * are exempt: a proxy of the operator there forwards calls of every carrier, and the demo account lists them all.
 */
export const sharingTrunks = (
  tx: Tx,
  { id, consumerId }: SipTrunk,
  statuses: TrunkStatus[],
): Promise<SharingTrunk[]> =>
  tx.$queryRaw<SharingTrunk[]>`
    select distinct t."id", t."name", t."status" from "SipTrunkSource" mine
    join "SipTrunkSource" theirs on theirs."network" && mine."network"
    join "SipTrunk" t on t."id" = theirs."trunkId"
    where mine."trunkId" = ${id} and t."id" <> ${id} and t."status"::text = any(${statuses})
      and not t."ingressHostOnly" and t."consumerId" is distinct from ${consumerId}::int
      and not (mine."network" <<= '127.0.0.0/8' or mine."network" <<= '::1')
    order by t."id"`;
