/** reports/agents: what each agent answered, missed and declined, talked, and was available. Every figure: README. */
import type { AgentFigures, AgentReportQuery } from '@clarion/protocol/v1/report/reports';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { windowAt } from '../query-window.ts';

export interface AgentReport {
  from: string;
  to: string;
  agents: AgentFigures[];
}

/** @throws 404 for an unknown tenant, 400 naming from or to */
export async function reportAgents(
  ctx: Ctx,
  tenantRef: string,
  query: AgentReportQuery,
): Promise<AgentReport> {
  const tenant = await tenantOf(ctx, tenantRef);
  const { from, to } = windowAt(ctx, query);
  const rows = await ctx.db.$queryRaw<Row[]>`
    with calls as (
      select c."id", c."agentId", c."answeredAt",
        coalesce(c."endedAt", ${ctx.now}::timestamptz) as until,
        c."direction" = 'INBOUND' and c."answeredAt" is null and c."ringingAt" is null
          and c."terminationReason" in ('NO_ANSWER', 'BUSY') as "couldNotRing"
      from "Call" c
      where c."tenantId" = ${tenant.id} and c."createdAt" >= ${from} and c."createdAt" < ${to}
    ), moves as (
      select t."callId", t."fromAgentId", t."toAgentId", t."acceptedAt",
        row_number() over moment = 1 as first, lead(t."acceptedAt") over moment as "nextAt"
      from calls join "CallTransfer" t on t."callId" = calls."id" and t."acceptedAt" is not null
      where calls."answeredAt" is not null
      window moment as (partition by t."callId" order by t."acceptedAt", t."id")
    ), stints as (
      select "id", "agentId", "answeredAt", "answeredAt" as since, until from calls
      where "answeredAt" is not null and not exists (select from moves m where m."callId" = calls."id")
      union all
      select c."id", m."fromAgentId", c."answeredAt", c."answeredAt", m."acceptedAt"
      from moves m join calls c on c."id" = m."callId" where m.first
      union all
      select c."id", m."toAgentId", c."answeredAt", m."acceptedAt", coalesce(m."nextAt", c.until)
      from moves m join calls c on c."id" = m."callId"
    ), talks as (
      select "agentId", count(distinct "id") as answered,
        sum(greatest(0, call_talk_seconds("answeredAt", until) - call_talk_seconds("answeredAt", since))) as talk
      from stints where "agentId" is not null group by 1
    ), unrung as (
      select "agentId", count(*) as missed from calls where "agentId" is not null and "couldNotRing" group by 1
    ), offers as (
      select l."agentId", count(*) filter (where l."type" <> 'DECLINED') as missed,
        count(*) filter (where l."type" = 'DECLINED') as declined
      from calls join "CallLifecycle" l on l."callId" = calls."id"
      where l."type" in ('MISSED', 'CONNECT_FAILED', 'DECLINED') and l."agentId" is not null group by 1
    ), shifts as (
      select s."agentId",
        sum(extract(epoch from least(coalesce(s."endedAt", ${ctx.now}::timestamptz), ${to}::timestamptz) - greatest(s."startedAt", ${from}::timestamptz))) as available
      from "AgentShift" s join "Agent" a on a."id" = s."agentId"
      where a."tenantId" = ${tenant.id} and s."startedAt" < least(${to}::timestamptz, ${ctx.now}::timestamptz)
        and coalesce(s."endedAt", ${ctx.now}::timestamptz) > ${from}::timestamptz
      group by 1
    )
    select a."id" as "agentId", a."ref" as "agentRef", a."name", a."deletedAt" is not null as "deleted",
      coalesce(t.answered, 0)::int as "answered", (coalesce(o.missed, 0) + coalesce(u.missed, 0))::int as "missed",
      coalesce(o.declined, 0)::int as "declined", coalesce(t.talk, 0)::float8 as "talkSeconds",
      floor(coalesce(s.available, 0))::float8 as "availableSeconds"
    from "Agent" a
    left join talks t on t."agentId" = a."id"
    left join unrung u on u."agentId" = a."id"
    left join offers o on o."agentId" = a."id"
    left join shifts s on s."agentId" = a."id"
    where a."tenantId" = ${tenant.id} order by a."id"`;
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    agents: rows.filter((row) => !row.deleted || hasFigures(row)).map(present),
  };
}

type Row = Omit<AgentFigures, 'avgTalkSeconds'> & { deleted: boolean };

const hasFigures = (row: Row) =>
  row.answered + row.missed + row.declined + row.talkSeconds + row.availableSeconds > 0;

const present = (row: Row): AgentFigures => ({
  agentId: row.agentId,
  agentRef: row.agentRef,
  name: row.name,
  answered: row.answered,
  missed: row.missed,
  declined: row.declined,
  talkSeconds: row.talkSeconds,
  avgTalkSeconds: row.answered === 0 ? 0 : Math.round(row.talkSeconds / row.answered),
  availableSeconds: row.availableSeconds,
});
