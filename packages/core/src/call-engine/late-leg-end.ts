/** What media reports about a leg that outlived its call. Most legs do, because the end of the call ends them. */
import type { LegType } from '@clarion/protocol';
import type { LegKind } from '@clarion/protocol/media';
import { poolOf } from '@clarion/db';
import type { Database } from '@clarion/db';
import { isLatestMonitor } from './latest-monitor.ts';
import { toJson } from './stored.ts';

export interface LegEnded {
  callId: number;
  legId: string;
  kind: LegKind;
  /** Statistics of the leg's whole duration. */
  stats: Record<string, unknown> | null;
  at: Date;
}

const typeOf: Record<LegKind, LegType> = {
  'carrier-in': 'CUSTOMER',
  'carrier-out': 'CUSTOMER',
  agent: 'AGENT',
  monitor: 'MONITOR',
};

/**
 * Stores the end of a leg whose call is no longer live. No event is published, because the call's last event has been published. A
 * repetition changes nothing.
 */
export async function keepLateLegEnd(db: Database, ended: LegEnded): Promise<void> {
  const { callId, legId, kind, stats, at } = ended;
  if (kind === 'monitor' && !(await isLatestMonitor(db, callId, legId))) return;
  await poolOf(db).query({
    ...KEEP_LEG_END,
    values: [callId, typeOf[kind], kind === 'agent' ? legId : null, stats && toJson(stats), at],
  });
}

/**
 * $3: the leg, if the call may have had several of its type: an older leg of the agent, or the one before a transfer, must not overwrite the
 * latest. If the end of the call, or an earlier failure, is already stored as the leg's end, it is kept.
 */
const KEEP_LEG_END = {
  name: 'keep-leg-end',
  text: `
    update "CallLeg" set
      "stats" = coalesce($4::jsonb, "stats"),
      "state" = case when "disconnectedAt" is null then 'DISCONNECTED' else "state" end,
      "disconnectedAt" = coalesce("disconnectedAt", $5::timestamptz)
    where "callId" = $1::int and "type" = $2::text and ($3::text is null or "legId" is null or "legId" = $3::text)`,
};
