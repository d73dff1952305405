/** What a strategy sees of a queue: plain data, taken under the queue's lock. */

export interface WaitingCall {
  callId: number;
  /** Agents it rings at already (RING_ALL adds to them). */
  ringingAt: readonly number[];
  /** Agents who declined it: never again. */
  declined: readonly number[];
  /** agentId → how often the agent let this call ring out. */
  missed: Readonly<Record<string, number>>;
}

/** A member who is AVAILABLE, connected and held by no call. */
export interface FreeAgent {
  agentId: number;
  /** 1 rings first. */
  priority: number;
  /** When the agent last became free, milliseconds since the epoch. */
  idleSince: number;
}

export interface QueueSnapshot {
  /** Longest waiting first. */
  waiting: readonly WaitingCall[];
  free: readonly FreeAgent[];
  /** How many more calls may be rung or handled at once (max_active_calls); null: any number. */
  capacity: number | null;
}

/** The agents are to be rung for this call now. */
export interface OfferPlan {
  callId: number;
  agentIds: number[];
}

export type Strategy = (snapshot: QueueSnapshot) => OfferPlan[];

/** Calls that ring nowhere yet, as many as the queue may still hand out. */
export function admitted({ waiting, capacity }: QueueSnapshot): WaitingCall[] {
  const idle = waiting.filter(({ ringingAt }) => ringingAt.length === 0);
  return capacity === null ? idle : idle.slice(0, Math.max(0, capacity));
}

export const missedBy = (call: WaitingCall, agentId: number): number => call.missed[agentId] ?? 0;

/**
 * Gives each admitted call, oldest first, the best agent who is left by `compare`.
 *
 * @param compare orders agents for one call, best first
 */
export function oneAgentEach(
  snapshot: QueueSnapshot,
  compare: (call: WaitingCall, a: FreeAgent, b: FreeAgent) => number,
): OfferPlan[] {
  const left = new Set(snapshot.free);
  const plans: OfferPlan[] = [];
  for (const call of admitted(snapshot)) {
    const [best] = [...left]
      .filter(({ agentId }) => !call.declined.includes(agentId))
      .toSorted((a, b) => compare(call, a, b));
    if (!best) continue;
    left.delete(best);
    plans.push({ callId: call.callId, agentIds: [best.agentId] });
  }
  return plans;
}
