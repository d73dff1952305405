/** What media reports about a leg that outlived its call. Most legs do, because the end of the call ends them. */
import type { LegType } from '@clarion/protocol';
import type { LegKind } from '@clarion/protocol/media';
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
  // An older leg of the agent, or the one before a transfer, must not overwrite the latest.
  const which = kind === 'agent' ? { OR: [{ legId: null }, { legId }] } : {};
  const leg = { callId, type: typeOf[kind], ...which };
  if (stats) await db.callLeg.updateMany({ where: leg, data: { stats: toJson(stats) } });
  // If the end of the call, or an earlier failure, is already stored as the leg's end, it is kept.
  await db.callLeg.updateMany({
    where: { ...leg, disconnectedAt: null },
    data: { state: 'DISCONNECTED', disconnectedAt: at },
  });
}
