/**
 * Steps one live call: one query that loads, a pure step, one statement that commits; on a version conflict it loads and steps again. A call that
 * this process remembers (step-memory.ts) is not loaded.
 */
import type { Database, Tx } from '@clarion/db';
import type { CallEvent } from '../call-machine/event.ts';
import { step } from '../call-machine/machine.ts';
import type { CallState } from '../call-machine/state.ts';
import { loadAgents, loadStep } from '../call-store/load-step.ts';
import type { LoadedAgent, LoadedStep } from '../call-store/loaded.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { StepSql } from '../call-store/step-sql.ts';
import type { Flow } from '../ivr/flow-run.ts';
import { agentIdsIn } from './agent-ids-in.ts';
import { commitStep, timeOfStep } from './commit.ts';
import type { CommitOptions, Pending } from './commit.ts';
import { AgentTaken } from './history.ts';
import type { StepMemory } from './step-memory.ts';
import { parseFlow, parseState } from './stored.ts';
import { isConflict, retrying } from '../retry-on-conflict.ts';

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
  if (options.memory?.hasEnded(callId)) return { kind: 'not-live' };
  const sql = stepSqlOf(db);
  const agentIds = agentIdsIn(event);
  const stepped = await fromMemory(sql, { callId, agentIds }, options.memory, (rows) =>
    stepFrom(sql, currentOf(rows, now), event, options),
  );
  // Only the rows themselves tell that an event does not fit the call any more.
  if (stepped?.kind === 'stepped' && stepped.changed) return stepped;
  const loaded = await loadStep(sql.run, callId, agentIds);
  return loaded ? stepFrom(sql, currentOf(loaded, now), event, options) : { kind: 'not-live' };
}

async function stepFrom(
  sql: StepSql,
  current: Current,
  event: CallEvent,
  options: CommitOptions,
): Promise<Stepped> {
  const { previous, flow, moment } = current;
  const next = step(previous, event, moment.getTime(), flow);
  if (next.state === previous && next.effects.length === 0) {
    return { kind: 'stepped', changed: false, previous, state: previous, pending: null };
  }
  const pending = await commitStep(sql, current, previous, next, moment, options);
  return { kind: 'stepped', changed: true, previous, state: next.state, pending };
}

export interface Current extends LoadedStep {
  previous: CallState;
  flow: Flow | null;
  /** The time of the next step. */
  moment: Date;
}

export function currentOf(rows: LoadedStep, now: Date): Current {
  const { state, flow, lastEventAt } = rows.live;
  return {
    ...rows,
    previous: parseState(state),
    flow: flow === null ? null : parseFlow(flow),
    moment: timeOfStep(now, lastEventAt),
  };
}

/**
 * Runs `attempt` with the call as this process remembers it.
 *
 * @returns null if it is not remembered, or has changed since: nothing was committed, so it must be loaded
 */
export async function fromMemory<T>(
  sql: StepSql,
  { callId, agentIds }: { callId: number; agentIds: readonly number[] },
  memory: StepMemory | undefined,
  attempt: (rows: LoadedStep) => Promise<T>,
): Promise<T | null> {
  const rows = memory?.take(callId);
  // In a transaction, a conflict would roll everything back.
  if (!memory || !rows || !sql.autocommit) return null;
  const agents = await withAgents(sql, rows.agents, agentIds, memory);
  try {
    return await attempt({ ...rows, agents, remembered: true });
  } catch (error) {
    if (isConflict(error) || error instanceof AgentTaken) return null;
    throw error;
  }
}

/** With the agents whom an event names: as remembered, or loaded. */
async function withAgents(
  sql: StepSql,
  agents: readonly LoadedAgent[],
  named: readonly number[],
  memory: StepMemory,
): Promise<LoadedAgent[]> {
  const without = (known: readonly LoadedAgent[]) =>
    named.filter((agentId) => !known.some(({ id }) => id === agentId));
  const remembered = [...agents, ...memory.agentsAmong(without(agents))];
  const missing = without(remembered);
  return missing.length === 0 ? remembered : [...remembered, ...(await loadAgents(sql.run, missing))];
}
