/** Sets an agent's shift and records its periods, which reports count as available time. */
import type { ShiftStatus } from '@clarion/protocol';
import type { Tx } from '@clarion/db';
import { inTransaction } from '../context.ts';
import { recordAvailability } from './record-availability.ts';

/**
 * An agent who starts a shift becomes the one with the shortest idle time. Ending a shift ends a wrap-up. A repeated choice changes
 * nothing.
 */
export async function setShift(db: Tx, agentId: number, status: ShiftStatus, now: Date): Promise<void> {
  await inTransaction({ db }, async ({ db: tx }) => {
    const { count } = await tx.agent.updateMany({
      where: { id: agentId, deletedAt: null, shift: { not: status } },
      data: {
        shift: status,
        consecutiveMissed: 0,
        idleSince: now,
        ...(status === 'OFFLINE' && { wrapUpUntil: null }),
      },
    });
    if (count === 0) return;
    await recordShift(tx, agentId, status, now);
    await recordAvailability(tx, agentId, now, { ofShift: true });
  });
}

/**
 * Opens or closes the agent's period of available time. Call it after the change of `Agent.shift`, in the same transaction: the lock on
 * that row serialises changes, and a unique index prevents two open periods.
 */
export async function recordShift(tx: Tx, agentId: number, status: ShiftStatus, now: Date): Promise<void> {
  if (status === 'AVAILABLE') {
    await tx.agentShift.createMany({ data: [{ agentId, startedAt: now }], skipDuplicates: true });
    return;
  }
  // The clocks of two processes may differ, so the end is never set before the beginning.
  await tx.$executeRaw`
    update "AgentShift" set "endedAt" = greatest("startedAt", ${now}::timestamptz)
    where "agentId" = ${agentId} and "endedAt" is null`;
}
