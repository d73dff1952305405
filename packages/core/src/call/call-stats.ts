/** Totals over a selection of calls (spec, Stats object). Seconds are whole, as in each call's durations. */
import { Prisma } from '@clarion/db';
import type { CallStats } from '@clarion/protocol/v1/calls';
import type { Ctx } from '../context.ts';
import { isLive } from './call-filter.ts';

const { sql } = Prisma;

/** Of unanswered calls that ended; whatever is neither missed nor lost ended by an error. */
const MISSED = ['NO_ANSWER', 'IVR_AGENT_NO_ANSWER', 'TIMEOUT', 'REJECTED', 'BUSY'];
const LOST = ['CANCELLED'];

interface Totals {
  total: number;
  answered: number;
  missed: number;
  lost: number;
  failed: number;
  live: number;
  inbound: number;
  outbound: number;
  talk: number;
  waited: number;
  wait: number;
  longest: number | null;
}

export async function callStats({ db, now }: Ctx, filter: Prisma.Sql): Promise<CallStats> {
  const unanswered = sql`c."answeredAt" is null and not (${isLive})`;
  const failed = sql`c."status" = 'FAILED'`;
  const [row] = await db.$queryRaw<Totals[]>`
    select
      count(*)::int as "total",
      count(c."answeredAt")::int as "answered",
      count(*) filter (where ${unanswered} and not ${failed}
        and c."terminationReason" in (${Prisma.join(MISSED)}))::int as "missed",
      count(*) filter (where ${unanswered} and not ${failed}
        and c."terminationReason" in (${Prisma.join(LOST)}))::int as "lost",
      count(*) filter (where ${unanswered} and (${failed}
        or c."terminationReason" is null
        or c."terminationReason" not in (${Prisma.join([...MISSED, ...LOST])})))::int as "failed",
      count(*) filter (where ${isLive})::int as "live",
      count(*) filter (where c."direction" = 'INBOUND')::int as "inbound",
      count(*) filter (where c."direction" = 'OUTBOUND')::int as "outbound",
      coalesce(sum(t.talk), 0)::float8 as "talk",
      count(t.wait)::int as "waited",
      coalesce(sum(t.wait), 0)::float8 as "wait",
      max(t.wait)::float8 as "longest"
    from "Call" c
    cross join lateral (select
      floor(extract(epoch from coalesce(c."endedAt", ${now}::timestamptz) - c."answeredAt")) as talk,
      floor(extract(epoch from coalesce(c."answeredAt", c."endedAt", ${now}::timestamptz) - c."queuedAt")) as wait
    ) t
    where ${filter}`;
  if (!row) throw new Error('an aggregate without a row');
  const { talk, waited, wait, longest, ...counts } = row;
  return {
    ...counts,
    talkSeconds: talk,
    avgTalkSeconds: counts.answered === 0 ? 0 : Math.round(talk / counts.answered),
    avgWaitSeconds: waited === 0 ? null : Math.round(wait / waited),
    longestWaitSeconds: longest,
  };
}
