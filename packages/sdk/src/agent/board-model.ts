/**
 * The board as a pure function of the service's messages. A snapshot replaces everything; between snapshots, single calls change.
 * Messages of several nodes may arrive out of order, so the newer version of a call wins, and a removed call does not return: IDs
 * are never reused.
 */
import type { BoardAgent, BoardCall, BoardSnapshot, ServerMessages } from '@clarion/protocol/socket';

/** How many removed calls are remembered, so that late messages do not bring them back. */
export const REMEMBERED_REMOVED_CALLS = 500;

export type BoardChange = ServerMessages['board:call'];
export type AgentsChange = ServerMessages['board:agents'];
export type { BoardSnapshot };

export interface BoardModel {
  calls: ReadonlyMap<number, BoardCall>;
  /** Newest last. */
  removed: readonly number[];
}

export const emptyBoard: BoardModel = { calls: new Map(), removed: [] };

/** @returns null if the change is older than the known state */
export function applyChange(model: BoardModel, change: BoardChange): BoardModel | null {
  const calls = new Map(model.calls);
  if ('removed' in change) {
    if (model.removed.includes(change.removed)) return null;
    calls.delete(change.removed);
    return { calls, removed: [...model.removed, change.removed].slice(-REMEMBERED_REMOVED_CALLS) };
  }
  const { call } = change;
  if (model.removed.includes(call.callId) || (calls.get(call.callId)?.version ?? -1) > call.version)
    return null;
  return { ...model, calls: calls.set(call.callId, call) };
}

/**
 * The single changes that a snapshot amounts to.
 *
 * @param before the calls that were known when the snapshot was requested: only these can be gone, because the service may have announced
 * a call that began after it read the snapshot
 */
export function changesOf(
  model: BoardModel,
  { calls }: Pick<BoardSnapshot, 'calls'>,
  before: readonly number[],
): BoardChange[] {
  const live = new Set(calls.map(({ callId }) => callId));
  const gone = before.filter((callId) => model.calls.has(callId) && !live.has(callId));
  return [
    ...gone.map((removed) => ({ removed })),
    ...calls
      .filter((call) => model.calls.get(call.callId)?.version !== call.version)
      .map((call) => ({ call })),
  ];
}

/** Messages about agents arrive in order. A complete list replaces the known one. */
export function applyAgents(
  known: ReadonlyMap<number, BoardAgent>,
  { agents, removed, complete }: AgentsChange,
): ReadonlyMap<number, BoardAgent> {
  const next = new Map(complete ? [] : known);
  for (const agentId of removed) next.delete(agentId);
  for (const agent of agents) next.set(agent.agentId, agent);
  return next;
}
