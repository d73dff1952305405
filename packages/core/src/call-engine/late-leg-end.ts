/** What media says of a leg that outlived its call: most legs do, since they end because the call did. */
import type { LegType } from '@clarion/protocol';
import type { LegKind } from '@clarion/protocol/media';
import type { Database } from '@clarion/db';
import { isLatestMonitor } from './history/participants.ts';
import { toJson } from './stored.ts';

export interface LegEnded {
  callId: number;
  legId: string;
  kind: LegKind;
  /** Quality figures of the leg's whole life. */
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
 * Keeps the end of a leg whose call is no longer live. Nobody is told: the call's last event has been said. Saying it again
 * changes nothing.
 */
export async function keepLateLegEnd(db: Database, ended: LegEnded): Promise<void> {
  const { callId, legId, kind, stats, at } = ended;
  if (kind === 'monitor' && !(await isLatestMonitor(db, callId, legId))) return;
  // An older leg of the agent, or the one before a transfer, has no say about the latest.
  const which = kind === 'agent' ? { OR: [{ legId: null }, { legId }] } : {};
  const leg = { callId, type: typeOf[kind], ...which };
  if (stats) await db.callLeg.updateMany({ where: leg, data: { stats: toJson(stats) } });
  // The end of the call, or a failure before it, is the end of the leg where one was noted.
  await db.callLeg.updateMany({
    where: { ...leg, disconnectedAt: null },
    data: { state: 'DISCONNECTED', disconnectedAt: at },
  });
}
