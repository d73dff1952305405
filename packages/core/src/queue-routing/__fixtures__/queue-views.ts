/** What a dispatch reads of the simulated centre, limited as by the statement of call-engine/dispatch-view.ts. */
import type { QueueStrategy } from '@clarion/protocol';
import { offersOf, skillsAskedFor } from '../../call-machine/state.ts';
import type { Age, QueueView } from '../plan.ts';
import { QUEUES } from './centre-model.ts';
import type { SimAgent } from './centre-model.ts';
import type { Centre } from './centre.ts';

type Waiting = ReturnType<Centre['waiting']>[number];

/** @param most how many calls and agents of a queue are seen */
export const queueViews = (centre: Centre, most: number): QueueView[] =>
  QUEUES.map((queueId) => viewOf(centre, queueId, most));

function viewOf(centre: Centre, queueId: number, most: number): QueueView {
  const { strategies, cap } = centre.settings;
  const strategy = strategies[queueId] ?? 'ROUND_ROBIN';
  const all = strategy === 'RING_ALL';
  const calls = centre.waiting().filter((call) => call.queueId === queueId);
  const isRinging = ({ state }: Waiting) => offersOf(state).length > 0;
  const idle = calls.filter((call) => !isRinging(call));
  const ringing = all ? calls.filter(isRinging) : [];
  const agents = [...centre.agents.values()].filter(centre.isFree).toSorted(order[strategy]);
  const pages = [false, true].map((asleep) => agents.filter((agent) => agent.asleep === asleep));
  return {
    queueId,
    strategy,
    waiting: calls
      .filter((call) => idle.slice(0, most).includes(call) || ringing.slice(0, most).includes(call))
      .map(({ since, wait, state }) => ({
        since,
        call: {
          callId: state.callId,
          ringingAt: offersOf(state).map(({ agentId }) => agentId),
          declined: wait.declined,
          missed: wait.missed,
          skills: skillsAskedFor(wait, centre.now),
        },
      })),
    free: all ? agents : pages.flatMap((page) => page.slice(0, most)),
    capacity: cap === null ? null : cap - centre.handled(queueId),
    showsCallsTo: showsCallsTo(calls, [idle, ringing], most),
    cutOffAfter: all ? [] : pages.flatMap((page) => page.slice(most - 1, most)),
  };
}

function showsCallsTo(calls: Waiting[], pages: Waiting[][], most: number): Age | null {
  const ends = pages.flatMap((page) => (page.length >= most ? page.slice(most - 1, most) : []));
  const first = calls.find((call) => ends.includes(call));
  return first ? { since: first.since, callId: first.state.callId } : null;
}

const longestIdle = (a: SimAgent, b: SimAgent): number => a.idleSince - b.idleSince || a.agentId - b.agentId;

const order: Record<QueueStrategy, (a: SimAgent, b: SimAgent) => number> = {
  ROUND_ROBIN: longestIdle,
  RING_ALL: longestIdle,
  PRIORITY: (a, b) => a.priority - b.priority || longestIdle(a, b),
};
