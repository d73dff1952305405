/** Lists the agents and queues to which an agent can transfer a call. */
import type { Agent, Tx } from '@clarion/db';
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { Colleague, TransferQueue } from '@clarion/protocol/socket';
import { isReachable, reachability } from './reachable.ts';

/** Longer lists are truncated: people pick from them in an app. */
const MAX_LISTED = 1_000;

/**
 * The other agents and the queues of the tenant, by name. Without `team_view` an agent may not see the status of others, so the lists are
 * empty (docs/requirements.md#agents-and-supervisors). A supervisor always gets them.
 */
export async function listColleagues(
  db: Tx,
  agentId: number,
  now: Date,
): Promise<{ agents: Colleague[]; queues: TransferQueue[] }> {
  const { tenant, ...self } = await db.agent.findUniqueOrThrow({
    where: { id: agentId },
    include: { tenant: { select: { settings: true } } },
  });
  const { teamView } = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
  if (!teamView && self.role !== 'SUPERVISOR') return { agents: [], queues: [] };
  const { tenantId } = self;
  const [agents, queues] = await Promise.all([
    db.agent.findMany({
      where: { tenantId, deletedAt: null, id: { not: agentId } },
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
      take: MAX_LISTED,
      include: { _count: { select: { connections: true } } },
    }),
    db.queue.findMany({
      where: { tenantId },
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
      take: MAX_LISTED,
      select: {
        id: true,
        ref: true,
        name: true,
        members: { select: { agent: { select: { ...reachability, ...idleness } } } },
      },
    }),
  ]);
  const waiting = await waitingIn(
    db,
    queues.map(({ id }) => id),
  );
  return {
    agents: agents.map(({ _count, ...agent }) => ({
      agentId: agent.id,
      agentRef: agent.ref,
      name: agent.name,
      connected: _count.connections > 0,
      availability: isOnCall(agent) ? 'ON_CALL' : agent.shift,
    })),
    queues: queues.map(({ id, ref, name, members }) => ({
      queueId: id,
      ref,
      name,
      waiting: waiting.get(id) ?? 0,
      available: members.filter(({ agent }) => canTake(agent, now)).length,
    })),
  };
}

const isOnCall = (agent: Agent): boolean => agent.currentCallId !== null && agent.onCall;

const idleness = { shift: true, currentCallId: true, wrapUpUntil: true } as const;
type Idleness = Pick<Agent, keyof typeof idleness>;

/** The same rule as in dispatch (`idle_members`). */
const canTake = (agent: Idleness & Parameters<typeof isReachable>[0], now: Date): boolean =>
  agent.shift === 'AVAILABLE' &&
  agent.currentCallId === null &&
  isReachable(agent) &&
  (agent.wrapUpUntil === null || agent.wrapUpUntil <= now);

async function waitingIn(db: Tx, queueIds: number[]): Promise<Map<number, number>> {
  const counts = await db.liveCall.groupBy({
    by: ['waitingQueueId'],
    where: { waitingQueueId: { in: queueIds } },
    _count: true,
  });
  return new Map(
    counts.flatMap(({ waitingQueueId, _count }) =>
      waitingQueueId === null ? [] : [[waitingQueueId, _count]],
    ),
  );
}
