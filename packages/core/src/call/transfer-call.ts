/** Transfers an agent's conversation to another agent or a queue of the tenant (docs/requirements.md#calls). */
import { ApiError, invalidField, notFound } from '@clarion/protocol';
import type { Database, Tx } from '@clarion/db';
import type { CommitOptions } from '../call-engine/commit.ts';
import { AgentTaken } from '../call-engine/history.ts';
import { overflowChain } from '../call-engine/overflow-chain.ts';
import { applyStep } from '../call-engine/step-call.ts';
import type { Stepped } from '../call-engine/step-call.ts';
import type { CallEvent } from '../call-machine/event.ts';
import { TRANSFER_RING_SECONDS } from '../call-machine/timing.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

export interface TransferRequest {
  tenantId: number;
  callId: number;
  /** The agent who transfers; must have the call. */
  agentId: number;
  to: { agentId: number } | { queueId: number };
}

/**
 * Checks the target, reserves it and begins the transfer in one transaction.
 *
 * @throws not_found, call_ended, invalid_state: not a conversation of this agent, or already being transferred; invalid_request naming
 * `agentId` or `queueId`: no such target; agent_unavailable: not connected; agent_busy: on a call
 */
export async function transferCall(
  db: Database,
  request: TransferRequest,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Extract<Stepped, { kind: 'stepped' }>> {
  const { tenantId, callId, agentId } = request;
  try {
    return await retryOnConflict(db, async (tx) => {
      const call = await tx.call.findFirst({ where: { id: callId, tenantId }, select: { id: true } });
      if (!call) throw notFound('The call');
      const event: CallEvent = { type: 'transfer', agentId, to: await targetOf(tx, request) };
      const stepped = await applyStep(tx, callId, event, now, options);
      if (stepped.kind === 'not-live') throw new ApiError('call_ended');
      if (!stepped.changed) {
        throw new ApiError('invalid_state', {
          message: 'The call cannot be transferred in its current state.',
        });
      }
      return stepped;
    });
  } catch (error) {
    throw error instanceof AgentTaken ? new ApiError('agent_busy') : error;
  }
}

type Target = Extract<CallEvent, { type: 'transfer' }>['to'];

async function targetOf(tx: Tx, { tenantId, agentId, to }: TransferRequest): Promise<Target> {
  if ('queueId' in to) {
    const queue = await tx.queue.findFirst({ where: { id: to.queueId, tenantId }, select: { id: true } });
    if (!queue) throw invalidField('queueId', 'The queue does not exist.');
    return { kind: 'queue', stops: await overflowChain(tx, queue.id) };
  }
  if (to.agentId === agentId) throw invalidField('agentId', 'This agent already has the call.');
  const target = await tx.agent.findFirst({
    where: { id: to.agentId, tenantId, deletedAt: null },
    select: { currentCallId: true, _count: { select: { connections: true } } },
  });
  if (!target) throw invalidField('agentId', 'The agent does not exist.');
  if (target.currentCallId !== null) throw new ApiError('agent_busy');
  if (target._count.connections === 0) throw new ApiError('agent_unavailable');
  return { kind: 'agent', agentId: to.agentId, ringTimeoutSeconds: TRANSFER_RING_SECONDS };
}
