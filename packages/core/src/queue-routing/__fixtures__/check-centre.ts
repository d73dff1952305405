/** Checks the invariants of a small contact centre (centre.ts) after an action, and adds violations to it. */
import { offersOf, reservedAgentIds, skillsAskedFor } from '../../call-machine/state.ts';
import { QUEUES } from './centre-model.ts';
import type { Centre } from './centre.ts';

/** Exactly the agents in a state are reserved for it in the database. */
export function checkCentre(centre: Centre): void {
  for (const [callId, state] of centre.calls) {
    const held = [...centre.agents.values()]
      .filter((agent) => agent.held === callId)
      .map(({ agentId }) => agentId);
    const named = reservedAgentIds(state).toSorted((a, b) => a - b);
    if (String(named) !== String(held))
      centre.broken.push(`${callId} (${state.phase}) names ${named}, holds ${held}`);
    const said = (event: string) => (centre.said.get(callId) ?? []).filter((told) => told === event).length;
    if (said('call.created') !== 1) centre.broken.push(`${callId} was created ${said('call.created')} times`);
    if (said('call.answered') > 1)
      centre.broken.push(`${callId} was answered ${said('call.answered')} times`);
    if (said('call.ended') !== (state.phase === 'ended' ? 1 : 0))
      centre.broken.push(`${callId} (${state.phase}) ended ${said('call.ended')} times`);
  }
  for (const queueId of QUEUES) checkNobodyIsForgotten(centre, queueId);
}

/** No call waits while an eligible agent is idle and the queue has capacity. */
function checkNobodyIsForgotten(centre: Centre, queueId: number): void {
  const { cap } = centre.settings;
  const handled = centre.handled(queueId);
  if (cap !== null && handled > cap) centre.broken.push(`queue ${queueId} handles ${handled} calls`);
  if (cap !== null && handled >= cap) return;
  for (const { wait, state } of centre.waiting().filter((call) => call.queueId === queueId)) {
    if (offersOf(state).length > 0) continue;
    const skills = skillsAskedFor(wait, centre.now);
    const free = [...centre.agents.values()].filter(
      (agent) =>
        centre.isFree(agent) &&
        !wait.declined.includes(agent.agentId) &&
        skills.every((skill) => agent.skills.includes(skill)),
    );
    if (free.length > 0) centre.broken.push(`${state.callId} is forgotten by ${free.map((a) => a.agentId)}`);
  }
}
