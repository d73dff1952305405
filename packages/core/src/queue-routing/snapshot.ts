/** What a strategy sees of a queue: plain data, taken under the queue's lock. */

export interface WaitingCall {
  callId: number;
  /** Agents it rings at already (RING_ALL adds to them). */
  ringingAt: readonly number[];
  /** Agents who declined it: never again. */
  declined: readonly number[];
  /** agentId → how often the agent let this call ring out. */
  missed: Readonly<Record<string, number>>;
  /** Skills an agent must have, in lower case; empty: it asks for none, or no longer. */
  skills: readonly string[];
  /** It counts against the cap already, though it rings nowhere: an agent of this very queue transfers it back into it. */
  handled?: boolean;
}

/** A member who is AVAILABLE, connected, not wrapping up and held by no call. */
export interface IdleAgent {
  agentId: number;
  skills: readonly string[];
  /** 1 rings first. */
  priority: number;
  /** When the agent last became free, milliseconds since the epoch. */
  idleSince: number;
}

export interface QueueSnapshot {
  /** Longest waiting first. */
  waiting: readonly WaitingCall[];
  free: readonly IdleAgent[];
  /** How many more calls may be rung or handled at once (max_active_calls); null: any number. */
  capacity: number | null;
}

/** The agents are to be rung for this call now. */
export interface OfferPlan {
  callId: number;
  agentIds: number[];
}

export type Strategy = (snapshot: QueueSnapshot) => OfferPlan[];

/** Whether the call may ring at the agent at all: not declined by them, and not beyond them. */
export const isEligible = (call: WaitingCall, { agentId, skills }: IdleAgent): boolean =>
  !call.declined.includes(agentId) && call.skills.every((skill) => skills.includes(skill));

/** Whether ringing it takes room under the cap. */
export const takesRoom = ({ ringingAt, handled = false }: WaitingCall): boolean =>
  ringingAt.length === 0 && !handled;

export const missedBy = (call: WaitingCall, agentId: number): number => call.missed[agentId] ?? 0;

/**
 * Gives each call that rings nowhere yet, oldest first, the best agent who is left by `compare`, until the cap is reached. A call
 * that nobody left may have does not hold up the next one.
 *
 * @param compare orders agents for one call, best first
 */
export function oneAgentEach(
  snapshot: QueueSnapshot,
  compare: (call: WaitingCall, a: IdleAgent, b: IdleAgent) => number,
): OfferPlan[] {
  const left = new Set(snapshot.free);
  let room = snapshot.capacity ?? Infinity;
  const plans: OfferPlan[] = [];
  for (const call of snapshot.waiting) {
    if (call.ringingAt.length > 0 || (takesRoom(call) && room <= 0)) continue;
    const [best] = [...left]
      .filter((agent) => isEligible(call, agent))
      .toSorted((a, b) => compare(call, a, b));
    if (!best) continue;
    left.delete(best);
    if (takesRoom(call)) room -= 1;
    plans.push({ callId: call.callId, agentIds: [best.agentId] });
  }
  return plans;
}
