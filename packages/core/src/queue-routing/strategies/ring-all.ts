/**
 * RING_ALL: the oldest call rings every idle agent, including those who become idle while it rings. An agent is rung by one call at a time,
 * so a younger call gets only agents who are not eligible for the older ones.
 */
import { isEligible, usesCapacity } from '../snapshot.ts';
import type { OfferPlan, Strategy } from '../snapshot.ts';

export const ringAll: Strategy = ({ waiting, free, capacity }) => {
  const left = new Set(free);
  let room = capacity ?? Infinity;
  const plans: OfferPlan[] = [];
  for (const call of waiting) {
    if (usesCapacity(call) && room <= 0) continue;
    const agents = [...left].filter((agent) => isEligible(call, agent));
    if (agents.length === 0) continue;
    for (const agent of agents) left.delete(agent);
    if (usesCapacity(call)) room -= 1;
    plans.push({ callId: call.callId, agentIds: agents.map(({ agentId }) => agentId) });
  }
  return plans;
};
