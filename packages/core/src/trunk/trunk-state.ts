/** What is observed of trunks: pings and registrations, as realtime's trunk monitor stores them. */
import { Prisma, runPrepared } from '@clarion/db';
import type { Database, SipTrunk, SipTrunkState } from '@clarion/db';
import type { TrunkPing, TrunkRegistration } from '@clarion/protocol';

export type WatchedTrunk = SipTrunk & { state: SipTrunkState | null };

/** The trunks whose carriers are pinged and at which the service registers, in one statement each for trunks and states. */
export const loadWatchedTrunks = (db: Database): Promise<WatchedTrunk[]> =>
  db.sipTrunk.findMany({ where: { status: 'ACTIVE' }, include: { state: true }, orderBy: { id: 'asc' } });

/** No effect for a trunk that has been deleted. */
export async function storePing(db: Database, trunkId: number, ping: TrunkPing): Promise<void> {
  await db.$executeRaw`
    insert into "SipTrunkState" ("trunkId", "ping", "upChangedAt")
    select "id", ${JSON.stringify(ping)}::jsonb, ${new Date(ping.at)} from "SipTrunk" where "id" = ${trunkId}
    on conflict ("trunkId") do update set "ping" = excluded."ping", "upChangedAt" = ${upChanged(ping)}`;
}

/** The time of the ping if the carrier has gone up or down since the stored one. */
export const upChanged = (ping: TrunkPing): Prisma.Sql => Prisma.sql`
  case when ("SipTrunkState"."ping"->>'up')::boolean is distinct from ${ping.up}::boolean
    then ${new Date(ping.at)}::timestamptz else "SipTrunkState"."upChangedAt" end`;

/**
 * @param registration null: the trunk no longer registers
 * @param address at which it is registered; a change notifies every process, because calls are matched by it
 */
export async function storeRegistration(
  db: Database,
  trunkId: number,
  registration: TrunkRegistration | null,
  address: string | null,
): Promise<void> {
  const stored = registration === null ? null : JSON.stringify(registration);
  await db.$executeRaw`
    insert into "SipTrunkState" ("trunkId", "registration", "registeredAddress")
    select "id", ${stored}::jsonb, ${address}::inet from "SipTrunk" where "id" = ${trunkId}
    on conflict ("trunkId") do update
      set "registration" = excluded."registration", "registeredAddress" = excluded."registeredAddress"`;
}

/** Trunks that have stopped registering while no node was watching them. */
export async function clearStaleRegistrations(db: Database): Promise<void> {
  await db.$executeRaw`
    update "SipTrunkState" s set "registration" = null, "registeredAddress" = null
    from "SipTrunk" t
    where t."id" = s."trunkId" and (s."registration" is not null or s."registeredAddress" is not null)
      and not (t."status" = 'ACTIVE' and t."register")`;
}

export interface LastInvite {
  trunkId: number;
  at: Date;
  source: string;
  number: string;
}

/** In the order of their IDs, so that two nodes do not wait for each other. No effect for deleted trunks and older calls. */
export async function storeLastInvites(db: Database, invites: readonly LastInvite[]): Promise<void> {
  await runPrepared(
    db,
    Prisma.sql`
    insert into "SipTrunkState" ("trunkId", "lastInviteAt", "lastInviteSource", "lastInviteNumber")
    select t."id", i."at", i."source", i."number"
    from json_to_recordset(${JSON.stringify(invites)}::json)
      as i("trunkId" int, "at" timestamptz, "source" text, "number" text)
    join "SipTrunk" t on t."id" = i."trunkId"
    order by t."id"
    on conflict ("trunkId") do update set "lastInviteAt" = excluded."lastInviteAt",
      "lastInviteSource" = excluded."lastInviteSource", "lastInviteNumber" = excluded."lastInviteNumber"
    where "SipTrunkState"."lastInviteAt" is null or "SipTrunkState"."lastInviteAt" < excluded."lastInviteAt"`,
  );
}
