/** Steps one live call: load, pure step, one transaction; on a version conflict it loads and steps again. */
import type { Database, Tx } from '@clarion/db';
import type { Flow } from '../ivr/flow-run.ts';
import type { CallEvent } from '../call-machine/event.ts';
import { step } from '../call-machine/machine.ts';
import type { CallState } from '../call-machine/state.ts';
import { commitStep, timeOfStep } from './commit.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { parseFlow, parseState } from './stored.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

export type Stepped =
  /** No such live call: it ended or never existed. */
  | { kind: 'not-live' }
  /** `state` is the current state; `changed` is false if the event did not fit it any more. */
  | { kind: 'stepped'; changed: boolean; previous: CallState; state: CallState; pending: Pending | null };

/**
 * The engine's entry point for any process with a database. With `runsEffects: false` (the default) a realtime node runs the effects.
 *
 * @throws AgentTaken when the event reserves an agent who is reserved by another call
 */
export async function stepCall(
  db: Database,
  callId: number,
  event: CallEvent,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Stepped> {
  return retryOnConflict(db, (tx) => applyStep(tx, callId, event, now, options));
}

/**
 * The same in the caller's transaction, which is rolled back on a conflict.
 *
 * @throws VersionConflict, AgentTaken
 */
export async function applyStep(
  tx: Tx,
  callId: number,
  event: CallEvent,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Stepped> {
  const row = await tx.liveCall.findUnique({
    where: { callId },
    select: { state: true, tenantId: true, version: true, lastEventAt: true },
  });
  if (!row) return { kind: 'not-live' };
  const previous = parseState(row.state);
  const moment = timeOfStep(now, row.lastEventAt);
  const next = step(previous, event, moment.getTime(), await flowOf(tx, previous));
  if (next.state === previous && next.effects.length === 0) {
    return { kind: 'stepped', changed: false, previous, state: previous, pending: null };
  }
  const { tenantId, version } = row;
  const pending = await commitStep(tx, { callId, tenantId, version }, next, moment, options);
  return { kind: 'stepped', changed: true, previous, state: next.state, pending };
}

/** Read only in the phases that may continue the flow. A conversation does not need it any more. */
async function flowOf(tx: Tx, state: CallState): Promise<Flow | null> {
  if (!('flow' in state) || state.flow === null) return null;
  const { callId } = state;
  const row = await tx.liveCall.findUnique({ where: { callId }, select: { flow: true } });
  return row?.flow ? parseFlow(row.flow) : null;
}
