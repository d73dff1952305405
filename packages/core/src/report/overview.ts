/** The current state and the last day of every tenant that the caller may see, and what needs attention. */
import { Prisma } from '@clarion/db';
import type { Attention, AttentionKind, OverviewResource } from '@clarion/protocol/v1/report/overview';
import { onlyTenantId, tenantsInScope } from '../context.ts';
import type { Ctx } from '../context.ts';
import { failedDeliveriesSince } from '../event/failed-deliveries.ts';

const { sql } = Prisma;
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Names of an entry of the attention list. */
const ABOUT_MAX = 5;

type Now = OverviewResource['now'];

export async function overview(ctx: Ctx): Promise<OverviewResource> {
  const tenants = await tenantsInScope(ctx);
  const ids = tenants.map(({ id }) => id);
  const [nows, lastDay, attention] = await Promise.all([
    nowOf(ctx, ids),
    lastDayOf(ctx, ids),
    attentionOf(ctx, ids),
  ]);
  const refs = new Map(tenants.map(({ id, ref }) => [id, ref]));
  const suspended = tenants.filter(({ status }) => status === 'SUSPENDED');
  return {
    at: ctx.now.toISOString(),
    now: sumOf([...nows.values()]),
    lastDay,
    tenants: tenants.map(({ id, ref, name, status }) => ({
      ref,
      name,
      status,
      ...(nows.get(id) ?? NOTHING),
    })),
    attention: [
      ...attention.map(({ tenantId, ...entry }) => ({
        ...entry,
        tenantRef: tenantId === null ? null : (refs.get(tenantId) ?? null),
      })),
      ...suspended.map(({ ref, name }) => ({
        kind: 'TENANT_SUSPENDED' as const,
        tenantRef: ref,
        count: 1,
        about: [name],
      })),
    ],
  };
}

const NOTHING: Now = {
  liveCalls: 0,
  waiting: 0,
  longestWaitSeconds: null,
  agents: { available: 0, onCall: 0, offline: 0 },
};

interface CallRow {
  tenantId: number;
  live: number;
  waiting: number;
  since: Date | null;
}
interface AgentRow {
  tenantId: number;
  available: number;
  onCall: number;
  all: number;
}

async function nowOf({ db, now }: Ctx, ids: number[]): Promise<Map<number, Now>> {
  const [calls, agents] = await Promise.all([
    db.$queryRaw<CallRow[]>`
      select "tenantId", count(*)::int as "live", count("waitingQueueId")::int as "waiting",
        min("waitingSince") filter (where "waitingQueueId" is not null) as "since"
      from "LiveCall" where "tenantId" = any(${ids}) group by 1`,
    // As in the queue figures: an agent who is only ringing is still available.
    db.$queryRaw<AgentRow[]>`
      select "tenantId", count(*)::int as "all",
        count(*) filter (where talks)::int as "onCall",
        count(*) filter (where not talks and "shift" = 'AVAILABLE' and reachable)::int as "available"
      from (select a."tenantId", a."shift", a."currentCallId" is not null and a."onCall" as talks,
          agent_reachable(a) as reachable
        from "Agent" a where a."tenantId" = any(${ids}) and a."deletedAt" is null) agents
      group by 1`,
  ]);
  const byTenant = new Map(ids.map((id) => [id, structuredClone(NOTHING)]));
  for (const { tenantId, live, waiting, since } of calls) {
    const entry = byTenant.get(tenantId);
    if (!entry) continue;
    entry.liveCalls = live;
    entry.waiting = waiting;
    entry.longestWaitSeconds = since && Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000));
  }
  for (const { tenantId, available, onCall, all } of agents) {
    const entry = byTenant.get(tenantId);
    if (entry) entry.agents = { available, onCall, offline: all - available - onCall };
  }
  return byTenant;
}

const sumOf = (nows: Now[]): Now =>
  nows.reduce((sum, one) => {
    const waits = [sum.longestWaitSeconds, one.longestWaitSeconds].filter((wait) => wait !== null);
    return {
      liveCalls: sum.liveCalls + one.liveCalls,
      waiting: sum.waiting + one.waiting,
      longestWaitSeconds: waits.length === 0 ? null : Math.max(...waits),
      agents: {
        available: sum.agents.available + one.agents.available,
        onCall: sum.agents.onCall + one.agents.onCall,
        offline: sum.agents.offline + one.agents.offline,
      },
    };
  }, NOTHING);

interface HourRow {
  start: Date;
  total: number;
  answered: number;
  abandoned: number;
}

/** Whole hours, including the current one last. */
async function lastDayOf({ db, now }: Ctx, ids: number[]): Promise<OverviewResource['lastDay']> {
  const last = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const first = last - (DAY_HOURS - 1) * HOUR_MS;
  const rows = await db.$queryRaw<HourRow[]>`
    select date_trunc('hour', "createdAt", 'UTC') as "start", count(*)::int as "total",
      count("answeredAt")::int as "answered",
      count(*) filter (where "queuedAt" is not null and "answeredAt" is null and "terminationReason" in ('CANCELLED', 'NO_ANSWER')
        and "terminatedBy" = 'CUSTOMER')::int as "abandoned"
    from "Call" where "tenantId" = any(${ids}) and "createdAt" >= ${new Date(first)} group by 1`;
  const byHour = new Map(rows.map((row) => [row.start.getTime(), row]));
  const sum = (figure: 'total' | 'answered' | 'abandoned') =>
    rows.reduce((count, row) => count + row[figure], 0);
  return {
    total: sum('total'),
    answered: sum('answered'),
    abandoned: sum('abandoned'),
    hours: Array.from({ length: DAY_HOURS }, (_, index) => {
      const start = first + index * HOUR_MS;
      const { total = 0, answered = 0 } = byHour.get(start) ?? {};
      return { start: new Date(start).toISOString(), total, answered };
    }),
  };
}

type Found = Omit<Attention, 'tenantRef'> & { tenantId: number | null };
interface FoundRow {
  tenantId: number | null;
  count: number;
  about: string[];
}

async function attentionOf(ctx: Ctx, ids: number[]): Promise<Found[]> {
  const { db, now, consumer } = ctx;
  const dayAgo = new Date(now.getTime() - DAY_HOURS * HOUR_MS);
  const found = async (kind: AttentionKind, rows: Prisma.Sql): Promise<Found[]> =>
    (await db.$queryRaw<FoundRow[]>(rows)).map(({ about, ...row }) => ({
      ...row,
      kind,
      about: about.slice(0, ABOUT_MAX),
    }));
  // Deliveries and trunks belong to the account, so a launched person does not see them.
  const account = onlyTenantId(ctx) === null;
  const lists = await Promise.all([
    found(
      'WAITING_UNSTAFFED',
      sql`
      select q."tenantId", count(*)::int as "count", array_agg(distinct q."name") as "about"
      from "LiveCall" l join "Queue" q on q."id" = l."waitingQueueId"
      where l."tenantId" = any(${ids}) and not exists (
        select from "QueueMember" m join "Agent" a on a."id" = m."agentId"
        where m."queueId" = q."id" and (a."onCall" or (a."shift" = 'AVAILABLE' and agent_reachable(a))))
      group by 1`,
    ),
    found(
      'RECORDINGS_FAILED',
      sql`
      select c."tenantId", count(*)::int as "count", array_agg(c."id"::text order by c."id" desc) as "about"
      from "Recording" r join "Call" c on c."id" = r."callId"
      where c."tenantId" = any(${ids}) and r."status" = 'FAILED' and c."createdAt" >= ${dayAgo} group by 1`,
    ),
    found(
      'LINES_DISABLED',
      sql`
      select "tenantId", count(*)::int as "count", array_agg("ref" order by "id") as "about"
      from "Channel" where "tenantId" = any(${ids}) and "status" = 'DISABLED' group by 1`,
    ),
    account
      ? found(
          'DELIVERIES_FAILED',
          sql`
          select null::int as "tenantId", count(*)::int as "count", array_agg(distinct "type") as "about"
          from "Event" where "consumerId" = ${consumer.id} and "undelivered" = 'FAILED' and "occurredAt" >= ${failedDeliveriesSince(now)}
          having count(*) > 0`,
        )
      : [],
    account
      ? found(
          'TRUNK_DOWN',
          sql`
          select null::int as "tenantId", count(*)::int as "count", array_agg("name" order by t."id") as "about"
          from "SipTrunk" t left join "SipTrunkState" s on s."trunkId" = t."id"
          where "consumerId" = ${consumer.id} and ("status" in ('SUSPENDED', 'DISABLED') or ("status" = 'ACTIVE'
            and (s."ping"->>'up' = 'false' or (t."register" and s."registration"->>'state' = 'FAILED'))))
          having count(*) > 0`,
        )
      : [],
  ]);
  return lists.flat();
}
