/** Checks an offer against the documentation by brute force over the whole centre, without using the strategies' code. */
import type { QueueStrategy } from '@clarion/protocol';
import { offersOf } from '../../call-machine/state.ts';
import type { SimAgent } from './centre-model.ts';
import type { Centre } from './centre.ts';

type Waiting = ReturnType<Centre['waiting']>[number];

/** @returns the violations, as sentences */
export function judgeOffer(centre: Centre, queueId: number, callId: number, agentIds: number[]): string[] {
  const wrong: string[] = [];
  const call = centre.waiting().find(({ state }) => state.callId === callId);
  if (!call || call.queueId !== queueId) return [`${callId} does not wait in queue ${queueId}`];
  const free = [...centre.agents.values()].filter(centre.isFree);
  const may = free.filter((agent) => isEligible(centre, call, agent));
  const offered = agentIds.flatMap((agentId) => may.filter((agent) => agent.agentId === agentId));
  if (offered.length !== agentIds.length || agentIds.length === 0)
    wrong.push(`${callId} is offered to ${agentIds}, but only ${may.map((a) => a.agentId)} may have it`);

  // No older call of either queue is at a disadvantage.
  for (const older of centre.waiting()) {
    if (older.state.callId === callId) break;
    if (!wantsAgents(centre, older)) continue;
    if (offered.some((agent) => isEligible(centre, older, agent)))
      wrong.push(`${callId} is served before ${older.state.callId}, which waits longer`);
  }

  const strategy = strategyOf(centre, queueId);
  if (ringsAll[strategy]) {
    if (offered.length !== may.length)
      wrong.push(`${callId} rings at ${agentIds}, not at all of ${may.length}`);
    return wrong;
  }
  if (offered.length > 1) wrong.push(`${callId} rings at several`);
  if (offersOf(call.state).length > 0) wrong.push(`${callId} rings already`);
  const [chosen] = offered;
  if (!chosen) return wrong;
  const missed = (agent: SimAgent) => call.wait.missed[agent.agentId] ?? 0;
  for (const other of may) {
    const asOften = missed(other) === missed(chosen);
    const before = missed(other) < missed(chosen) || (asOften && comesBefore[strategy](other, chosen));
    if (before) wrong.push(`${callId} rings at ${chosen.agentId}, but ${other.agentId} comes first`);
  }
  return wrong;
}

/** Whether a call rings every eligible agent. A new strategy does not compile until its rule is here and below. */
const ringsAll: Record<QueueStrategy, boolean> = { ROUND_ROBIN: false, RING_ALL: true, PRIORITY: false };

/** Whether an agent is rung before another who missed the call as often. */
const comesBefore: Record<QueueStrategy, (other: SimAgent, chosen: SimAgent) => boolean> = {
  ROUND_ROBIN: (other, chosen) =>
    other.asleep === chosen.asleep ? other.idleSince < chosen.idleSince : chosen.asleep,
  RING_ALL: () => false,
  PRIORITY: (other, chosen) => other.priority < chosen.priority,
};

function strategyOf(centre: Centre, queueId: number): QueueStrategy {
  const strategy = centre.settings.strategies[queueId];
  if (!strategy) throw new Error(`queue ${queueId} has no strategy`);
  return strategy;
}

/** Whether an idle agent would have been rung for this call. */
function wantsAgents(centre: Centre, { queueId, state }: Waiting): boolean {
  const ringing = offersOf(state).length > 0;
  if (ringing) return ringsAll[strategyOf(centre, queueId)];
  return centre.settings.cap === null || centre.handled(queueId) < centre.settings.cap;
}

function isEligible(centre: Centre, { wait, state }: Waiting, agent: SimAgent): boolean {
  if (centre.declined.has(`${state.callId}:${agent.agentId}`)) return false;
  const { skillsWaitSeconds } = centre.settings;
  const patient = skillsWaitSeconds === null || centre.now < wait.since + skillsWaitSeconds * 1000;
  return !patient || wait.skills.every((skill) => agent.skills.includes(skill));
}
