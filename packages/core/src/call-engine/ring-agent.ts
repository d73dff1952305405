/**
 * Finds the agent whom a call asks for, and lets it ring at them, in one transaction: reserved like any other agent, so that no two
 * calls ever hold one. A flow asks for the agent it names; the caller of a personal line for an owner whom another call rang at when
 * they came. Whatever their availability; who has no connected device or does not want to be disturbed cannot be rung. Safe to
 * repeat: a call that no longer looks for the agent is left as it is.
 */
import type { Database, Tx } from '@clarion/db';
import type { CallEvent } from '../call-machine/event.ts';
import { reservedAgentIds } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import { DEFAULT_RING_TIMEOUT_SECONDS } from '../call-machine/timing.ts';
import type { CommitOptions } from './commit.ts';
import { reserveAgent } from './history.ts';
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
  // The caller of a personal line waits while another call rings at the owner, also while the owner's page reloads.
  if ((found === 'rung' || found === 'not-connected') && state.phase === 'awaiting-owner') return asItIs;
  if (found !== 'reserved') {
    const onCall = found === 'on-call';
    return applyStep(tx, callId, { type: 'agent-unavailable', agentId, onCall }, now, options);
  }
  const offer: CallEvent = { type: 'offer', queueId: null, agentIds: [agentId], ringTimeoutSeconds };
  const stepped = await applyStep(tx, callId, offer, now, options);
  // Between our look and the step the caller may have gone; the step then holds nobody.
  if (stepped.kind === 'not-live' || !reservedAgentIds(stepped.state).includes(agentId)) {
    await tx.agent.updateMany({
      where: { id: agentId, currentCallId: callId },
      data: { currentCallId: null, onCall: false },
    });
  }
  return stepped;
}

/** How long the call rings at the agent; null: it does not look for them. */
function ringsFor(state: CallState, agentId: number): number | null {
  if (state.phase === 'ivr' && state.seeking === agentId) return DEFAULT_RING_TIMEOUT_SECONDS;
  return state.phase === 'awaiting-owner' && state.agentId === agentId ? state.ringTimeoutSeconds : null;
}

/** not-there: deleted, suspended, or does not want to be disturbed. */
type Found = 'reserved' | 'rung' | 'on-call' | 'not-connected' | 'not-there';

async function find(tx: Tx, agentId: number, callId: number): Promise<Found> {
  const agent = await tx.agent.findFirst({
    where: {
      id: agentId,
      deletedAt: null,
      doNotDisturb: false,
      tenant: { status: 'ACTIVE', consumer: { status: 'ACTIVE' } },
    },
    select: { currentCallId: true, onCall: true, _count: { select: { connections: true } } },
  });
  if (!agent) return 'not-there';
  if (agent.onCall) return 'on-call';
  if (agent._count.connections === 0) return 'not-connected';
  return agent.currentCallId === null && (await reserveAgent(tx, agentId, callId)) ? 'reserved' : 'rung';
}
