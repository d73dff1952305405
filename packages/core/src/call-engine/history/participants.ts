/** The call's participants: rows in the order of joining, closed when a participant leaves. */
import type { Tx } from '@clarion/db';
import type { HistoryEffect } from '../../call-machine/effects.ts';

export async function join(
  tx: Tx,
  callId: number,
  effect: Extract<HistoryEffect, { kind: 'join' }>,
  joinedAt: Date,
): Promise<void> {
  switch (effect.who) {
    case 'CUSTOMER':
      await tx.callParticipant.create({ data: { callId, kind: 'CUSTOMER', joinedAt } });
      return;
    case 'AGENT': {
      const { agentId, deviceId } = effect;
      const agentRef = await refOf(tx, agentId);
      await tx.callParticipant.create({
        data: { callId, kind: 'AGENT', agentId, agentRef, deviceId, joinedAt },
      });
      return;
    }
    case 'MONITOR': {
      const { kind, agentId, name, deviceId, legId } = effect.monitor;
      const who = agentId === null ? { listenerName: name } : { agentId, agentRef: await refOf(tx, agentId) };
      await tx.callParticipant.create({ data: { callId, kind, ...who, deviceId, legId, joinedAt } });
    }
  }
}

export async function leave(
  tx: Tx,
  callId: number,
  { who, reason }: Extract<HistoryEffect, { kind: 'leave' }>,
  at: Date,
): Promise<void> {
  await tx.callParticipant.updateMany({
    where: { callId, leftAt: null, ...partOf(who) },
    data: { leftAt: at, leaveReason: reason },
  });
  if (who !== 'ALL') return;
  await tx.callLeg.updateMany({
    where: { callId, disconnectedAt: null },
    data: { state: 'DISCONNECTED', disconnectedAt: at },
  });
}

function partOf(who: Extract<HistoryEffect, { kind: 'leave' }>['who']) {
  if (who === 'ALL') return {};
  return 'legId' in who ? { legId: who.legId } : { agentId: who.agentId, kind: 'AGENT' };
}

/** If there are several monitors, the call's one MONITOR leg is the latest one's. */
export async function isLatestMonitor(tx: Tx, callId: number, legId: string): Promise<boolean> {
  const latest = await tx.callParticipant.findFirst({
    where: { callId, legId: { not: null } },
    orderBy: { id: 'desc' },
    select: { legId: true },
  });
  return latest?.legId === legId;
}

async function refOf(tx: Tx, agentId: number): Promise<string> {
  const agent = await tx.agent.findUniqueOrThrow({ where: { id: agentId }, select: { ref: true } });
  return agent.ref;
}
