/** Steps one live call: one query that loads, a pure step, one statement that commits; on a version conflict it loads and steps again. */
import type { Database, Tx } from '@clarion/db';
import type { CallEvent } from '../call-machine/event.ts';
import { step } from '../call-machine/machine.ts';
import type { CallState } from '../call-machine/state.ts';
import { loadStep } from '../call-store/load-step.ts';
import type { LoadedStep } from '../call-store/loaded.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { RunStatement } from '../call-store/step-sql.ts';
import type { Flow } from '../ivr/flow-run.ts';
import { agentIdsIn } from './agent-ids-in.ts';
import { commitStep, timeOfStep } from './commit.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { parseFlow, parseState } from './stored.ts';
import { retrying } from '../retry-on-conflict.ts';

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
  return retrying(() => applyStep(db, callId, event, now, options));
}

/**
 * The same once, in the caller's transaction, which is rolled back on a conflict; outside a transaction the commit is one of its own.
 *
 * @throws VersionConflict, AgentTaken
 */
export async function applyStep(
  db: Tx | Database,
  callId: number,
  event: CallEvent,
  now: Date,
  options: CommitOptions = { runsEffects: false },
): Promise<Stepped> {
  const sql = stepSqlOf(db);
  const loaded = await loadCurrent(sql.run, callId, agentIdsIn(event), now);
  if (!loaded) return { kind: 'not-live' };
  const { previous, flow, moment } = loaded;
  const next = step(previous, event, moment.getTime(), flow);
  if (next.state === previous && next.effects.length === 0) {
    return { kind: 'stepped', changed: false, previous, state: previous, pending: null };
  }
  const pending = await commitStep(sql, loaded, previous, next, moment, options);
  return { kind: 'stepped', changed: true, previous, state: next.state, pending };
}

export interface Current extends LoadedStep {
  previous: CallState;
  flow: Flow | null;
  /** The time of the next step. */
  moment: Date;
}

/** @returns null if the call is not live */
export async function loadCurrent(
  run: RunStatement,
  callId: number,
  agentIds: readonly number[],
  now: Date,
): Promise<Current | null> {
  const loaded = await loadStep(run, callId, agentIds);
  if (!loaded) return null;
  const { state, flow, lastEventAt } = loaded.live;
  return {
    ...loaded,
    previous: parseState(state),
    flow: flow === null ? null : parseFlow(flow),
    moment: timeOfStep(now, lastEventAt),
  };
}
