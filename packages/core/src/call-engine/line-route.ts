/**
 * Where a line routes an inbound call (docs/requirements.md#lines, 3 to 5): a personal line to its owner, any other to a flow or its queue.
 */
import type { Prisma, Tx } from '@clarion/db';
import type { Flow } from '../ivr/flow-run.ts';
import type { InboundRoute } from '../call-machine/arrival.ts';
import { DEFAULT_RING_TIMEOUT_SECONDS } from '../call-machine/timing.ts';
import { withoutCallbackKey, withoutCallback } from './callback.ts';
import { flowOfLine } from './line-flow.ts';
import { overflowChain } from './overflow-chain.ts';

/** The route before it is known whether the owner is available, or as of the creation of the call. */
export type LineRoute =
  | Exclude<InboundRoute, { kind: 'owner' } | { kind: 'flow' }>
  | { kind: 'flow'; flow: Flow }
  | {
      kind: 'owner';
      agent: { id: number; ref: string };
      ringTimeoutSeconds: number;
      /** Why the owner cannot be rung at all; null: they may be. */
      unreachable: 'no-device' | 'do-not-disturb' | null;
    };

export const withOwner = { ownerAgent: true } satisfies Prisma.ChannelInclude;
type Line = Prisma.ChannelGetPayload<{ include: typeof withOwner }>;

/** @param callable whether the caller has a number that the account may call */
export async function routeOfLine(tx: Tx, line: Line, callable: boolean): Promise<LineRoute> {
  if (line.status === 'DISABLED') return { kind: 'disabled' };
  const owner = line.ownerAgent;
  if (owner) {
    const rings = !owner.deletedAt && (await canRing(tx, owner.id));
    return {
      kind: 'owner',
      agent: { id: owner.id, ref: owner.ref },
      ringTimeoutSeconds: line.ringTimeoutSeconds ?? DEFAULT_RING_TIMEOUT_SECONDS,
      unreachable: owner.doNotDisturb ? 'do-not-disturb' : rings ? null : 'no-device',
    };
  }
  const flow = await flowOfLine(tx, line);
  if (flow) return { kind: 'flow', flow: callable ? flow : withoutCallback(flow) };
  if (line.inboundQueueId === null) return { kind: 'none' };
  const stops = await overflowChain(tx, line.inboundQueueId);
  return { kind: 'queue', stops: callable ? stops : stops.map(withoutCallbackKey) };
}

/** Whether a connected app can ring. Push tokens do not count, because push is not available. */
const canRing = async (tx: Tx, agentId: number): Promise<boolean> =>
  (await tx.agentConnection.count({ where: { agentId } })) > 0;
