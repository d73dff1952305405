/** A strategy's view of a queue: plain data, as read at one moment. */
import type { QueueStrategy } from '@clarion/protocol';

export interface WaitingCall {
  callId: number;
  /** Agents being rung already (RING_ALL adds to them). */
  ringingAt: readonly number[];
  /** Agents who declined it. They are not offered it again. */
  declined: readonly number[];
  /** Agent ID → number of missed offers of this call. */
  missed: Readonly<Record<string, number>>;
  /** Skills an agent must have, in lower case; empty: none are required, or not any more. */
  skills: readonly string[];
  /** Counts against max_active_calls without ringing: an agent of this queue transfers the call back into it. */
  handled?: boolean;
}

/** A member who is AVAILABLE, can be rung, is not in wrap-up and not reserved. */
export interface IdleAgent {
  agentId: number;
  skills: readonly string[];
  /** 1 is offered calls first. */
  priority: number;
  /** Since when the agent is idle, milliseconds since the epoch. */
  idleSince: number;
  /** No app of theirs is connected: a push notification must wake one. */
  asleep: boolean;
}

/** A queue without a waiting call, whose first idle agents can take the next call at once. */
export interface IdleQueue {
  strategy: QueueStrategy;
  ringTimeoutSeconds: number;
  /** Never empty. The best for a call that asks for no skills is among them. */
  agents: IdleAgent[];
}

export interface QueueSnapshot {
  /** Longest waiting first. */
  waiting: readonly WaitingCall[];
  free: readonly IdleAgent[];
  /** How many more calls may ring or be handled concurrently (max_active_calls); null: unlimited. */
  capacity: number | null;
}

/** The agents to ring for this call now. */
export interface OfferPlan {
  callId: number;
  agentIds: number[];
}

export type Strategy = (snapshot: QueueSnapshot) => OfferPlan[];

/** Whether the agent is eligible for the call: they have its skills and did not decline it. */
export const isEligible = (call: WaitingCall, { agentId, skills }: IdleAgent): boolean =>
  !call.declined.includes(agentId) && call.skills.every((skill) => skills.includes(skill));

/** Whether ringing the call uses capacity of max_active_calls. */
export const usesCapacity = ({ ringingAt, handled = false }: WaitingCall): boolean =>
  ringingAt.length === 0 && !handled;

/** Among equals, an agent whose app is connected comes before one who must be woken, then the longest idle. */
export const compareIdle = (a: IdleAgent, b: IdleAgent): number =>
  Number(a.asleep) - Number(b.asleep) || a.idleSince - b.idleSince || a.agentId - b.agentId;

export const missedBy = (call: WaitingCall, agentId: number): number => call.missed[agentId] ?? 0;

/**
 * Offers each call that is not ringing, oldest first, to the best remaining agent according to `compare`, until the capacity is used. A
 * call for which no remaining agent is eligible does not block the next one.
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
    if (call.ringingAt.length > 0 || (usesCapacity(call) && room <= 0)) continue;
    const [best] = [...left]
      .filter((agent) => isEligible(call, agent))
      .toSorted((a, b) => compare(call, a, b));
    if (!best) continue;
    left.delete(best);
    if (usesCapacity(call)) room -= 1;
    plans.push({ callId: call.callId, agentIds: [best.agentId] });
  }
  return plans;
}
