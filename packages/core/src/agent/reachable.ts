/**
 * Whether a call can ring an agent: an app of theirs is connected, or a push notification can wake one. With do-not-disturb nothing is
 * woken.
 */
import type { Agent, Prisma } from '@clarion/db';

export const canBeWoken = ({ wakeable, doNotDisturb }: Pick<Agent, 'wakeable' | 'doNotDisturb'>): boolean =>
  wakeable && !doNotDisturb;

/** What `isReachable` needs of an agent's row. */
export const reachability = {
  wakeable: true,
  doNotDisturb: true,
  _count: { select: { connections: true } },
} satisfies Prisma.AgentSelect;

export const isReachable = (
  agent: Pick<Agent, 'wakeable' | 'doNotDisturb'> & { _count: { connections: number } },
): boolean => agent._count.connections > 0 || canBeWoken(agent);

/** The same as a condition on agents. */
export const whereReachable = {
  OR: [{ connections: { some: {} } }, { wakeable: true, doNotDisturb: false }],
} satisfies Prisma.AgentWhereInput;
