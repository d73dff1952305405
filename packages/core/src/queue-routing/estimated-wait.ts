/** Estimates a caller's remaining wait. Pure; call-engine/queue-position.ts collects the input. */

export interface QueueFacts {
  /** Callers ahead in the queue. */
  ahead: number;
  /** Members on shift and connected, on a call or not. */
  agents: number;
  /** Of the queue's recent calls: conversation and wrap-up. Null: there were none. */
  averageHandlingSeconds: number | null;
  /** Maximum number of calls handled concurrently (max_active_calls); null: unlimited. */
  maxActiveCalls: number | null;
}

/** Used if there are no recent calls. */
const ASSUMED_HANDLING_SECONDS = 180;

/**
 * Assumes that every agent is in the middle of a call, so that one becomes idle every `handling / agents` seconds, and that this caller
 * follows those ahead: `(ahead + 1) × handling ÷ agents`.
 *
 * @returns null if no agent is on shift, because there is no estimate then
 */
export function estimateWaitSeconds(facts: QueueFacts): number | null {
  const serving = Math.min(facts.agents, facts.maxActiveCalls ?? Infinity);
  if (serving <= 0) return null;
  const handling = facts.averageHandlingSeconds ?? ASSUMED_HANDLING_SECONDS;
  return Math.round(((facts.ahead + 1) * handling) / serving);
}
