/**
 * Finds the agent whom a flow asks for, and lets the call ring at them, in one transaction: reserved like any other agent, so that no two
 * calls ever hold one. Like a personal line's owner, whatever their availability; who has no connected device or does not want
 * to be disturbed cannot be rung. Safe to repeat: a call that no longer looks for the agent is left as it is.
 */
import type { Database, Tx } from '@clarion/db';
import type { CallEvent } from '../event.ts';
import { agentsHeldBy } from '../state.ts';
import type { CommitOptions } from './commit.ts';
import { reserveAgent } from './history.ts';
import { applyStep, untilWon } from './step-call.ts';
import type { Stepped } from './step-call.ts';
import { parseState } from './stored.ts';

export interface Sought {
  agentId: number;
  ringTimeoutSeconds: number;
}

export async function seekAgent(
  db: Database,
  callId: number,
  sought: Sought,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Stepped> {
  return untilWon(db, (tx) => seekOnce(tx, callId, sought, now, options));
}

async function seekOnce(
  tx: Tx,
  callId: number,
  { agentId, ringTimeoutSeconds }: Sought,
  now: Date,
  options: CommitOptions,
): Promise<Stepped> {
  const row = await tx.liveCall.findUnique({ where: { callId }, select: { state: true } });
  if (!row) return { kind: 'not-live' };
  const state = parseState(row.state);
  if (state.phase !== 'ivr' || state.seeking !== agentId)
    return { kind: 'stepped', changed: false, previous: state, state, pending: null };
  const found = (await canBeRung(tx, agentId)) && (await reserveAgent(tx, agentId, callId));
  if (!found) return applyStep(tx, callId, { type: 'agent-unavailable', agentId }, now, options);
  const offer: CallEvent = { type: 'offer', queueId: null, agentIds: [agentId], ringTimeoutSeconds };
  const stepped = await applyStep(tx, callId, offer, now, options);
  // Between our look and the step the caller may have gone; the step then holds nobody.
  if (stepped.kind === 'not-live' || !agentsHeldBy(stepped.state).includes(agentId)) {
    await tx.agent.updateMany({
      where: { id: agentId, currentCallId: callId },
      data: { currentCallId: null, onCall: false },
    });
  }
  return stepped;
}

async function canBeRung(tx: Tx, agentId: number): Promise<boolean> {
  const agent = await tx.agent.findFirst({
    where: {
      id: agentId,
      deletedAt: null,
      doNotDisturb: false,
      connections: { some: {} },
      tenant: { status: 'ACTIVE', consumer: { status: 'ACTIVE' } },
    },
    select: { id: true },
  });
  return agent !== null;
}
