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
 * Stores the ends of legs whose calls are no longer live. No event is published, because the last event of a call has been published. A
 * repetition changes nothing.
 */
export async function keepLateLegEnds(db: Database, ended: readonly LegEnded[]): Promise<void> {
  let waiting: LegRow[] = [];
  for (const { callId, legId, kind, stats, at } of ended) {
    if (kind === 'monitor' && !(await isLatestMonitor(db, callId, legId))) continue;
    waiting.push({ callId, type: typeOf[kind], legId: kind === 'agent' ? legId : null, stats, at });
  }
  while (waiting.length > 0) {
    // A statement updates a row once only.
    const batch = new Map<string, LegRow>();
    const later: LegRow[] = [];
    for (const row of waiting) {
      const key = `${row.callId}/${row.type}`;
      if (batch.has(key)) later.push(row);
      else batch.set(key, row);
    }
    await poolOf(db).query(KEEP_LEG_ENDS, [JSON.stringify(toJson([...batch.values()]))]);
    waiting = later;
  }
}

interface LegRow {
  callId: number;
  type: LegType;
  /** Set if the call may have had several of its type: an older leg of the agent, or the one before a transfer, must not overwrite the latest. */
  legId: string | null;
  stats: Record<string, unknown> | null;
  at: Date;
}

/**
 * $1: a list of LegRow. If the end of the call, or an earlier failure, is already stored as the leg's end, it is kept. Not prepared: a plan made
 * while there were few legs reads all of them.
 */
const KEEP_LEG_ENDS = `
  update "CallLeg" l set
    "stats" = coalesce(e."stats", l."stats"),
    "state" = case when l."disconnectedAt" is null then 'DISCONNECTED' else l."state" end,
    "disconnectedAt" = coalesce(l."disconnectedAt", e."at")
  from json_to_recordset($1::json) e("callId" int, "type" text, "legId" text, "stats" jsonb, "at" timestamptz)
  where l."callId" = e."callId" and l."type" = e."type"
    and (e."legId" is null or l."legId" is null or l."legId" = e."legId")`;
