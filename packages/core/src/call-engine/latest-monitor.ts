import type { Tx } from '@clarion/db';

/** If there are several monitors, the call's one MONITOR leg is the latest one's. */
export async function isLatestMonitor(tx: Tx, callId: number, legId: string): Promise<boolean> {
  const latest = await tx.callParticipant.findFirst({
    where: { callId, legId: { not: null } },
    orderBy: { id: 'desc' },
    select: { legId: true },
  });
  return latest?.legId === legId;
}
