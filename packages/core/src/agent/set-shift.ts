/** The agent's choice to take queue calls or not, and the stretches of time it lasted: what reports count as available time. */
import type { ShiftStatus } from '@clarion/protocol';
import type { Tx } from '@clarion/db';
import { inTransaction } from '../context.ts';
import { recordAvailability } from './record-availability.ts';

/** Whoever comes on shift goes to the back of the line of idle agents; going off ends a wrap-up; saying it twice changes nothing. */
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
 * Opens or closes the agent's stretch of available time. Call it in the transaction that changed `Agent.shift`, after it: that
 * row's lock keeps two changes apart, and a unique index lets no agent have two open ones.
 */
export async function recordShift(tx: Tx, agentId: number, status: ShiftStatus, now: Date): Promise<void> {
  if (status === 'AVAILABLE') {
    await tx.agentShift.createMany({ data: [{ agentId, startedAt: now }], skipDuplicates: true });
    return;
  }
  // The clocks of two processes may differ: no stretch ends before it began.
  await tx.$executeRaw`
    update "AgentShift" set "endedAt" = greatest("startedAt", ${now}::timestamptz)
    where "agentId" = ${agentId} and "endedAt" is null`;
}
