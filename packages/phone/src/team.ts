/** Converts the SDK's board and colleagues to the phone's model. Pure. */
import type { BoardCall, Colleague, QueueCounters, TransferQueue } from '@clarion/sdk';
import { customerLabel } from '@clarion/ui';
import type { TeamCall, TeamQueue, TransferChoices } from '@clarion/ui';

/** @param monitorName the name under which this supervisor listens to the call; null: they do not */
export function teamCall(call: BoardCall, clockOffsetMs: number, monitorName: string | null): TeamCall {
  const { callId, customer, agent, queue, state, held, direction, monitors } = call;
  const since = { waiting: call.waitingSince, ringing: null, active: call.answeredAt }[state];
  return {
    id: callId,
    customer: customerLabel(customer, 'Unknown caller'),
    channel: call.channelType,
    agent: agent?.name ?? null,
    queue: queue?.name ?? null,
    state,
    held,
    since: Date.parse(since ?? call.createdAt) - clockOffsetMs,
    direction,
    listeners: withoutFirst(
      monitors.map(({ name }) => name),
      monitorName,
    ),
  };
}

/** The board names monitors without an ID: of two with the same name, one is this supervisor. */
function withoutFirst(names: string[], own: string | null): string[] {
  const at = own === null ? -1 : names.indexOf(own);
  return at === -1 ? names : names.toSpliced(at, 1);
}

export function teamQueue(queue: QueueCounters, clockOffsetMs: number): TeamQueue {
  const { queueId: id, name, waiting, longestWaitingSince, agents } = queue;
  return {
    id,
    name,
    waiting,
    available: agents.available,
    onCall: agents.onCall,
    longestWaitingSince:
      longestWaitingSince === null ? null : Date.parse(longestWaitingSince) - clockOffsetMs,
  };
}

/** All colleagues except the agent. */
export function transferChoices(
  { agents, queues }: { agents: Colleague[]; queues: TransferQueue[] },
  ownId: number | null,
): TransferChoices {
  return {
    colleagues: agents
      .filter(({ agentId }) => agentId !== ownId)
      .map(({ agentId: id, name, connected, availability }) => ({
        id,
        name,
        state: connected ? STATES[availability] : 'offline',
      })),
    queues: queues.map(({ queueId: id, name, waiting, available }) => ({ id, name, waiting, available })),
  };
}

const STATES = { AVAILABLE: 'free', ON_CALL: 'busy', OFFLINE: 'away' } as const;
