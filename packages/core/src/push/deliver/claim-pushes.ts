/**
 * Claims due push notifications, each with everything that its attempt needs, in one statement. A notification is sent once, or not at all
 * after its time:
 *
 * - CLAIMED for a few seconds: the worker opens a connection to the provider. If it dies, another worker claims the notification.
 * - SENDING: the provider may have received it, so no other worker sends it. If the worker dies, it becomes UNKNOWN.
 *
 * All times are the database's.
 */
import type { SqlPool } from '@clarion/db';
import type { DuePush, StoredCredentials } from './due-push.ts';

/** What a worker may claim now. */
export interface PushLimits {
  /** Push notifications in total. */
  count: number;
  /** Consumers whose push notifications are skipped. */
  fullConsumers: readonly number[];
  /** Consumer → maximum number of its push notifications; any other consumer: `roomOfOthers`. */
  room: ReadonlyMap<number, number>;
  roomOfOthers: number;
}

export interface ClaimedPushes {
  due: DuePush[];
  /** Their device has connected, the call no longer rings the agent, or the token is gone: nothing is to be sent. */
  cancelled: { provider: string }[];
  /** There may be more that are due and allowed. */
  more: boolean;
}

/** Longer than preparing a connection may take (PREPARE_LIMIT_MS of the push runner). */
export const CLAIM_MS = 5_000;
/** The longest attempt. */
export const SEND_LIMIT_MS = 10_000;
/** An attempt whose result is not recorded within this time is UNKNOWN: the longest attempt, and the retries of recording it. */
const SENDING_MS = SEND_LIMIT_MS + 15_000;

/** Due notifications examined per claim. */
const WINDOW = 2_000;

/**
 * The longest due first. $1 worker, $2 consumers to skip, $3 window, $4 and $5 limits by consumer, $6 limit for others, $7 count, $8 for how
 * long they are claimed. An obstacle cancels the notification. A withdrawal waits while the call that it withdraws is being sent, so that it
 * does not arrive first.
 */
const CLAIM = `
  with due as materialized (
    select n.id, n."consumerId", n."dueAt"
    from "PushNotification" n
    where n.status in ('PENDING', 'CLAIMED') and n."dueAt" <= now() and n."expiresAt" > now()
      and (n.status = 'PENDING' or n."claimedUntil" <= now()) and n."consumerId" <> all($2::int[])
      and not (n.kind = 'WITHDRAWN' and exists (
        select from "PushNotification" i where i."callId" = n."callId" and i."agentId" = n."agentId" and i."tokenId" = n."tokenId"
          and i.kind = 'INCOMING' and i.status = 'SENDING'))
    order by n."dueAt"
    limit $3
  ), ranked as (
    select due.*, row_number() over (partition by due."consumerId" order by due."dueAt", due.id) as place from due
  ), picked as (
    select ranked.id from ranked
    left join unnest($4::int[], $5::int[]) as limited("consumerId", room) using ("consumerId")
    where place <= coalesce(limited.room, $6)
    order by "dueAt", ranked.id
    limit $7
  ), taken as materialized (
    select n.* from picked join "PushNotification" n using (id)
    where n.status = 'PENDING' or n.status = 'CLAIMED' and n."claimedUntil" <= now()
    for update of n skip locked
  ), judged as (
    select taken.id, a.ref as "agentRef", t.ref as "tenantRef", c."channelRef", c."customerAddress", c."customerName",
      k."tokenSealed", k.sandbox, p.provider as "credentialsOf", p.settings, p."secretSealed",
      case
        when k.id is null then 'TOKEN_DELETED'
        when k."rejectedAt" is not null then 'TOKEN_REJECTED'
        when exists (
          select from "AgentConnection" x where x."agentId" = taken."agentId" and x."deviceId" = taken."deviceId"
        ) then 'CONNECTED'
        when taken.kind = 'INCOMING' and (a."currentCallId" is distinct from taken."callId" or a."onCall") then 'NOT_RINGING'
        -- The call has been offered to the agent again since.
        when taken.kind in ('INCOMING', 'WITHDRAWN') and exists (
          select from "PushNotification" later where later."callId" = taken."callId" and later."agentId" = taken."agentId"
            and later."tokenId" = taken."tokenId" and later.kind = 'INCOMING' and later.id > taken.id
        ) then 'SUPERSEDED'
      end as obstacle
    from taken
    join "Call" c on c.id = taken."callId"
    join "Tenant" t on t.id = c."tenantId"
    join "Agent" a on a.id = taken."agentId"
    left join "PushToken" k on k.id = taken."tokenId" and k."agentId" = taken."agentId"
    left join "PushCredential" p on p."consumerId" = taken."consumerId" and p.provider = push_credential_of(taken.provider)
  ), claimed as (
    update "PushNotification" n set
      status = case when judged.obstacle is null then 'CLAIMED' else 'CANCELLED' end::"PushStatus",
      "claimedBy" = $1,
      "claimedUntil" = now() + $8 * interval '1 millisecond',
      "finishedAt" = case when judged.obstacle is not null then now() end,
      reason = judged.obstacle
    from judged where n.id = judged.id
    returning n.*
  )
  select claimed.id as "rowId", (select count(*)::int from due) as seen, judged.obstacle,
    claimed."pushId", claimed."callId", claimed."consumerId", claimed."agentId", claimed."tokenId", claimed."deviceId",
    claimed.platform, claimed.provider, claimed.kind, claimed."assignmentType", claimed."withdrawReason", claimed."expiresAt",
    claimed.attempts, judged."tenantRef", judged."agentRef", judged."channelRef", judged."customerAddress" as "callerAddress",
    judged."customerName" as "callerName", judged."tokenSealed", judged.sandbox, judged."credentialsOf", judged.settings,
    judged."secretSealed"
  from claimed join judged using (id)
  order by claimed."dueAt", claimed.id`;

/** A row that a step of the call is changing at this moment is skipped: it is being cancelled. $3: how long the attempt may take. */
const BEGIN = `
  with mine as materialized (
    select n.id from "PushNotification" n
    where n.id = any($2::bigint[]) and n."claimedBy" = $1 and n.status = 'CLAIMED' and n."expiresAt" > now()
    for update skip locked
  )
  update "PushNotification" n set status = 'SENDING', "claimedUntil" = now() + $3 * interval '1 millisecond'
  from mine where n.id = mine.id
  returning n.id as "rowId", (extract(epoch from n."expiresAt" - now()) * 1000)::float8 as "leftMs"`;

const RELEASE = `
  update "PushNotification" n set status = 'PENDING', "claimedBy" = null, "claimedUntil" = null
  where n.id = any($2::bigint[]) and n."claimedBy" = $1 and n.status = 'CLAIMED'`;

interface Row extends Omit<DuePush, 'credentials'> {
  seen: number;
  obstacle: string | null;
  credentialsOf: string | null;
  settings: StoredCredentials['settings'];
  secretSealed: string | null;
}

export async function claimPushes(
  sql: SqlPool,
  workerId: string,
  { count, fullConsumers, room, roomOfOthers }: PushLimits,
): Promise<ClaimedPushes> {
  const { rows } = await sql.query<Row>({
    name: 'claim-pushes',
    text: CLAIM,
    values: [
      workerId,
      fullConsumers,
      WINDOW,
      [...room.keys()],
      [...room.values()],
      roomOfOthers,
      count,
      CLAIM_MS,
    ],
  });
  return {
    due: rows.flatMap(dueOf),
    cancelled: rows.filter(({ obstacle }) => obstacle !== null),
    more: rows.length > 0 && (rows.length >= count || (rows[0]?.seen ?? 0) >= WINDOW),
  };
}

function dueOf({ obstacle, credentialsOf, settings, secretSealed, ...due }: Row): DuePush[] {
  if (obstacle !== null) return [];
  const stored = credentialsOf !== null && secretSealed !== null;
  return [{ ...due, credentials: stored ? { provider: credentialsOf, settings, secretSealed } : null }];
}

/**
 * Marks them as being sent, immediately before that. Resolves with the time left until each expires; one that is not in the result was
 * cancelled, has expired, or was claimed by another worker.
 */
export async function beginSending(
  sql: SqlPool,
  workerId: string,
  pushes: readonly DuePush[],
): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ rowId: string; leftMs: number }>({
    name: 'begin-pushes',
    text: BEGIN,
    values: [workerId, pushes.map(({ rowId }) => rowId), SENDING_MS],
  });
  return new Map(rows.map(({ rowId, leftMs }) => [rowId, leftMs]));
}

/** Lets other workers claim what was claimed and is not sent. */
export async function releasePushes(
  sql: SqlPool,
  workerId: string,
  pushes: readonly DuePush[],
): Promise<void> {
  await sql.query(RELEASE, [workerId, pushes.map(({ rowId }) => rowId)]);
}
