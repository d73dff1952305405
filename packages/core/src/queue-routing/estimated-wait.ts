/** How long a caller may still have to wait. Pure; call-engine/queue-position.ts gathers the facts. */

export interface QueueFacts {
  /** Callers who will be served first. */
  ahead: number;
  /** Members on shift and connected, on a call or not: whoever will serve them. */
  agents: number;
  /** Of recent calls of the queue: conversation and wrap-up. Null: there were none. */
  averageHandlingSeconds: number | null;
  /** Calls handled at once at most (max_active_calls); null: any number. */
  maxActiveCalls: number | null;
}

/** With no recent call to go by. */
const ASSUMED_HANDLING_SECONDS = 180;

/**
 * Every agent is taken to be in the middle of a call, so that one is free every `handling / agents` seconds, and this caller comes after
 * those who are ahead: `(ahead + 1) × handling ÷ agents`.
 *
 * @returns null when nobody is there to serve anybody: there is nothing to say
 */
export function estimateWaitSeconds(facts: QueueFacts): number | null {
  const serving = Math.min(facts.agents, facts.maxActiveCalls ?? Infinity);
  if (serving <= 0) return null;
  const handling = facts.averageHandlingSeconds ?? ASSUMED_HANDLING_SECONDS;
  return Math.round(((facts.ahead + 1) * handling) / serving);
}
