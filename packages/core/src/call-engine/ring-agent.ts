/**
 * Reserves the agent requested by a call and rings them, in one transaction. The request comes from a flow that names the agent, or from
 * the caller of a personal line whose owner was being rung by another call. Availability does not matter, but an agent whom no device can
 * ring, or with do-not-disturb, cannot be rung. Safe to repeat: a call that no longer requests the agent is not changed.
 */
import type { Database, Tx } from '@clarion/db';
import type { CallEvent } from '../call-machine/event.ts';
import { reservedAgentIds } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import { DEFAULT_RING_TIMEOUT_SECONDS } from '../call-machine/timing.ts';
import { isReachable, reachability } from '../agent/reachable.ts';
import type { CommitOptions } from './commit.ts';
import { reserveAgent } from './reserve-agent.ts';
import { applyStep } from './step-call.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';
import type { Stepped } from './step-call.ts';
import { parseState } from './stored.ts';

export async function ringAgent(
  db: Database,
  callId: number,
  agentId: number,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Stepped> {
  return retryOnConflict(db, (tx) => ringOnce(tx, callId, agentId, now, options));
}

async function ringOnce(
  tx: Tx,
  callId: number,
  agentId: number,
  now: Date,
  options: CommitOptions,
): Promise<Stepped> {
  const row = await tx.liveCall.findUnique({ where: { callId }, select: { state: true } });
  if (!row) return { kind: 'not-live' };
  const state = parseState(row.state);
  const asItIs: Stepped = { kind: 'stepped', changed: false, previous: state, state, pending: null };
  const ringTimeoutSeconds = ringsFor(state, agentId);
  if (ringTimeoutSeconds === null) return asItIs;
  const found = await find(tx, agentId, callId);
  // The caller of a personal line keeps waiting while another call rings the owner, also while the owner's page reloads.
  if ((found === 'rung' || found === 'not-connected') && state.phase === 'awaiting-owner') return asItIs;
  if (found !== 'reserved' && found !== 'reserved-asleep') {
    const onCall = found === 'on-call';
    return applyStep(tx, callId, { type: 'agent-unavailable', agentId, onCall }, now, options);
  }
  const offer: CallEvent = {
    type: 'offer',
    queueId: null,
    agentIds: [agentId],
    ringTimeoutSeconds,
    ...(found === 'reserved-asleep' && { wakeIds: [agentId] }),
  };
  const stepped = await applyStep(tx, callId, offer, now, options);
  // The caller may have hung up since the query. The step then reserves no agent.
  if (stepped.kind === 'not-live' || !reservedAgentIds(stepped.state).includes(agentId)) {
    await tx.agent.updateMany({
      where: { id: agentId, currentCallId: callId },
      data: { currentCallId: null, onCall: false },
    });
  }
  return stepped;
}

/** How long the call rings the agent; null: it does not request them. */
function ringsFor(state: CallState, agentId: number): number | null {
  if (state.phase === 'ivr' && state.seeking === agentId) return DEFAULT_RING_TIMEOUT_SECONDS;
  return state.phase === 'awaiting-owner' && state.agentId === agentId ? state.ringTimeoutSeconds : null;
}

/** reserved-asleep: no app is connected, and a push notification wakes one. not-there: deleted, suspended, or on do-not-disturb. */
type Found = 'reserved' | 'reserved-asleep' | 'rung' | 'on-call' | 'not-connected' | 'not-there';

async function find(tx: Tx, agentId: number, callId: number): Promise<Found> {
  const agent = await tx.agent.findFirst({
    where: {
      id: agentId,
      deletedAt: null,
      doNotDisturb: false,
      tenant: { status: 'ACTIVE', consumer: { status: 'ACTIVE' } },
    },
    select: { currentCallId: true, onCall: true, ...reachability },
  });
  if (!agent) return 'not-there';
  if (agent.onCall) return 'on-call';
  if (!isReachable(agent)) return 'not-connected';
  if (agent.currentCallId !== null || !(await reserveAgent(tx, agentId, callId))) return 'rung';
  return agent._count.connections > 0 ? 'reserved' : 'reserved-asleep';
}
