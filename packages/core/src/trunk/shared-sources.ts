/** Trunks that list the same addresses of a carrier. */
import { Prisma } from '@clarion/db';
import type { SipTrunk, TrunkStatus, Tx } from '@clarion/db';
import type { OperatorCtx } from '../consumer/operator.ts';

/** Serialises approvals: two overlapping trunks that are approved concurrently would not see each other. */
const APPROVAL_LOCK = 1_903_263;
/** Serialises the lines of one number: two on different trunks violate no constraint. The second key is the number's hash. */
const NUMBER_LOCK = 1_903_264;

/** Compares with the trunk `mine`. Loopback is exempt, because a proxy of the operator may forward calls of every carrier from there. */
const isLocal = Prisma.sql`(mine."network" <<= '127.0.0.0/8' or mine."network" <<= '::1')`;

/** Whether some of this trunk's addresses also select an active trunk of another owner. */
async function sharesSources(tx: Tx, trunk: SipTrunk): Promise<boolean> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${APPROVAL_LOCK}::bigint)`;
  return (await sharingTrunks(tx, trunk, ['ACTIVE'])).length > 0;
}

/**
 * After a trunk became active or got other addresses, in the same transaction, in which it is locked: a trunk that shares addresses with
 * another owner's must be called at its ingress host. Otherwise one owner could receive the other's calls by adding its number.
 *
 * @param ifImpossible the error if there is no ingress host
 */
export async function updateIngressHostOnly(
  { db, settings }: Pick<OperatorCtx, 'db' | 'settings'>,
  trunk: SipTrunk,
  { ifImpossible }: { ifImpossible: (message: string) => Error },
): Promise<void> {
  if (trunk.status !== 'ACTIVE') return;
  const ingressHostOnly = await sharesSources(db, trunk);
  if (ingressHostOnly && settings.ingressDomain === null) {
    throw ifImpossible(
      'An active trunk of another owner uses some of these addresses. Set CLARION_INGRESS_DOMAIN so that the carrier can send calls to the ingress host of this trunk.',
    );
  }
  if (ingressHostOnly === trunk.ingressHostOnly) return;
  await db.sipTrunk.updateMany({
    where: { id: trunk.id },
    data: { ingressHostOnly, updatedAt: trunk.updatedAt },
  });
}

export type SharingTrunk = Pick<SipTrunk, 'id' | 'name' | 'status'>;

/**
 * Other owners' trunks with some of these addresses. Trunks with `ingressHostOnly` are not selected by address. Loopback addresses are
 * exempt, because the demo account lists them all.
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
      and not ${isLocal}
    order by t."id"`;

/**
 * Whether a line of another tenant has this number on a trunk with the same source addresses: a call without an ingress host would then
 * reach neither. Until the transaction ends, no other line can get this number. Trunks of several owners that are not active yet are
 * exempt: the one that is approved later becomes `ingressHostOnly` (see `sharesSources`).
 */
export async function hasNumberFromSameSources(
  tx: Tx,
  { trunk, tenantId, number }: { trunk: Pick<SipTrunk, 'id'>; tenantId: number; number: string },
): Promise<boolean> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${NUMBER_LOCK}::int, hashtext(${number}))`;
  const lines = await tx.$queryRaw<unknown[]>`
    select 1 from "Channel" line
    join "SipTrunk" t on t."id" = line."sipTrunkId"
    join "SipTrunk" own on own."id" = ${trunk.id} and own."id" <> t."id"
    join "SipTrunkSource" theirs on theirs."trunkId" = t."id"
    join "SipTrunkSource" mine on mine."trunkId" = own."id" and theirs."network" && mine."network"
    where line."address" = ${number} and line."tenantId" <> ${tenantId}
      and not t."ingressHostOnly" and not own."ingressHostOnly"
      and (
        t."consumerId" is not distinct from own."consumerId"
        or (t."status" = 'ACTIVE' and own."status" = 'ACTIVE')
        or ${isLocal}
      )
    limit 1`;
  return lines.length > 0;
}
