/** Records the event that an agent's availability changed. */
import type { Prisma, Tx } from '@clarion/db';
import { recordEvent } from '../event/record-event.ts';
import { withConnections } from './agent-of.ts';
import { presentAgent } from './present.ts';

const withTenant = {
  ...withConnections,
  tenant: { select: { ref: true, consumerId: true } },
} satisfies Prisma.AgentInclude;

/**
 * Call it after the change, in the same transaction, and only if there was one. A shift that changes during a call becomes visible when the
 * call ends (`ofShift`); until then the agent is ON_CALL.
 */
export async function recordAvailability(
  tx: Tx,
  agentId: number,
  now: Date,
  { ofShift = false } = {},
): Promise<void> {
  const row = await tx.agent.findUnique({ where: { id: agentId }, include: withTenant });
  if (!row) return;
  const agent = presentAgent(row, row.tenant.ref);
  if (ofShift && agent.availability === 'ON_CALL') return;
  await recordEvent(tx, {
    type: 'agent.availability_changed',
    data: { agent },
    consumerId: row.tenant.consumerId,
    tenant: { id: row.tenantId, ref: row.tenant.ref },
    occurredAt: now,
    now,
  });
}
