/** Stores the SIP ladders that arrive from media nodes, many in one statement and outside of the calls' transactions. */
import { REFUSAL_LADDERS_PER_TRUNK } from '@clarion/protocol/ladder';
import type { Database } from '@clarion/db';

export interface CallPart {
  ladderId: string;
  callId: number;
  startedAt: Date;
  /** Base64. */
  data: string;
}

/**
 * A part that is stored already changes nothing, and neither does that of a call that was deleted or erased meanwhile: the locks on the
 * calls make it wait for an erasure in progress.
 */
export async function storeCallLadders(db: Database, parts: readonly CallPart[], now: Date): Promise<void> {
  if (parts.length === 0) return;
  // In the order in which erasures lock calls.
  const sorted = parts.toSorted((a, b) => a.callId - b.callId);
  // Not prepared: a plan made while there were few calls reads all of them.
  await db.$executeRaw`
    insert into "CallLadder" ("callId", "id", "startedAt", "storedAt", "data")
    select c."id", l."id", l."startedAt", ${now}, decode(l."data", 'base64')
    from unnest(
      ${sorted.map(({ callId }) => callId)}::int[], ${sorted.map(({ ladderId }) => ladderId)}::uuid[],
      ${sorted.map(({ startedAt }) => startedAt.toISOString())}::timestamptz[], ${sorted.map(({ data }) => data)}::text[]
    ) as l("callId", "id", "startedAt", "data")
    join "Call" c on c."id" = l."callId"
    where c."customerAddress" is not null or c."customerWithheld"
    for share of c
    on conflict do nothing`;
}

export interface RefusalPart {
  inviteId: string;
  startedAt: Date;
  data: string;
}

/**
 * Adds the ladders to the refusals of trunks, of which the newest keep theirs.
 *
 * @returns the INVITEs that are stored as refused
 */
export async function storeRefusalLadders(db: Database, parts: readonly RefusalPart[]): Promise<Set<string>> {
  if (parts.length === 0) return new Set();
  const stored = await db.$queryRaw<{ inviteId: string; trunkId: number | null }[]>`
    update "SipRefusal" r set "ladder" = decode(l."data", 'base64'), "ladderStartedAt" = l."startedAt"
    from unnest(
      ${parts.map(({ inviteId }) => inviteId)}::uuid[],
      ${parts.map(({ startedAt }) => startedAt.toISOString())}::timestamptz[], ${parts.map(({ data }) => data)}::text[]
    ) as l("inviteId", "startedAt", "data")
    where r."inviteId" = l."inviteId" and r."trunkId" is not null
    returning r."inviteId", r."trunkId"`;
  const trunkIds = [...new Set(stored.flatMap(({ trunkId }) => (trunkId === null ? [] : [trunkId])))];
  for (const trunkId of trunkIds) {
    await db.$executeRaw`
      update "SipRefusal" set "ladder" = null, "ladderStartedAt" = null
      where "trunkId" = ${trunkId} and "ladder" is not null and "id" not in (
        select "id" from "SipRefusal" where "trunkId" = ${trunkId}
        order by "at" desc, "id" desc limit ${REFUSAL_LADDERS_PER_TRUNK})`;
  }
  return new Set(stored.map(({ inviteId }) => inviteId));
}
