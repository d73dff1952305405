/** The one query of a step, which reads everything that the step may need. */
import type { Call } from '@clarion/db';
import type { LoadedAgent, LoadedBeginning, LoadedStep } from './loaded.ts';
import type { RunStatement, Statement } from './step-sql.ts';

/** $1: the call. $2: agents whom the event names. */
const LOAD_STEP: Statement = { name: 'load-step', text: 'select load_step($1::int, $2::int[])' };

/** $1: the tenant. $2: agents whom the call reserves. */
const LOAD_BEGINNING: Statement = {
  name: 'load-beginning',
  text: 'select load_beginning($1::int, $2::int[])',
};

/** $1: agents. */
const LOAD_AGENTS: Statement = { name: 'load-agents', text: 'select step_agents($1::int[])' };

/** @returns null if the call is not live */
export async function loadStep(
  run: RunStatement,
  callId: number,
  agentIds: readonly number[],
): Promise<LoadedStep | null> {
  const found = (await run(LOAD_STEP, [callId, [...agentIds]])) as Json<LoadedStep> | null;
  if (!found) return null;
  const { call, live, agents } = found;
  return {
    ...found,
    call: callFrom(call),
    agents: agents.map(agentFrom),
    live: { ...live, lastEventAt: momentFrom(live.lastEventAt) },
  };
}

/** Those of these agents who exist. */
export const loadAgents = async (run: RunStatement, agentIds: readonly number[]): Promise<LoadedAgent[]> =>
  ((await run(LOAD_AGENTS, [[...agentIds]])) as Json<LoadedAgent>[]).map(agentFrom);

/** The tenant exists: the caller holds a row that refers to it. */
export async function loadBeginning(
  run: RunStatement,
  tenantId: number,
  agentIds: readonly number[],
): Promise<LoadedBeginning> {
  const found = (await run(LOAD_BEGINNING, [tenantId, [...agentIds]])) as Json<LoadedBeginning> | null;
  if (!found) throw new Error(`tenant ${tenantId} does not exist`);
  return { ...found, agents: found.agents.map(agentFrom) };
}

/** The same shape with moments as text. The database's functions are its only source, so it is not checked again. */
type Json<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Json<T[K]> } : T;

const momentFrom = (text: string | null): Date | null => (text === null ? null : new Date(text));

const callFrom = (row: Json<Call>): Call => ({
  ...row,
  createdAt: new Date(row.createdAt),
  ringingAt: momentFrom(row.ringingAt),
  queuedAt: momentFrom(row.queuedAt),
  answeredAt: momentFrom(row.answeredAt),
  endedAt: momentFrom(row.endedAt),
});

const agentFrom = (row: Json<LoadedAgent>): LoadedAgent => ({
  ...row,
  idleSince: new Date(row.idleSince),
  wrapUpUntil: momentFrom(row.wrapUpUntil),
  deletedAt: momentFrom(row.deletedAt),
  createdAt: new Date(row.createdAt),
});
