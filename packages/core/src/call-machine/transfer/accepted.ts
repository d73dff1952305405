/** A transfer that an agent has accepted: their audio is connected, then they replace the first agent. */
import { failures } from '@clarion/protocol';
import type { CallEvent } from '../event.ts';
import type { Effect } from '../effects.ts';
import type { AgentSide, TalkingState } from '../state.ts';
import { abandonedLeg, changeSide } from '../agent-side.ts';
import { conversationRoute } from '../route.ts';
import { media, notifyAgent, routed, talked, wholeSeconds } from '../shared.ts';
import type { Step } from '../shared.ts';
import {
  withMissed,
  declinedIn,
  declinedRecord,
  releaseAccepted,
  hangUp,
  withDeclined,
  without,
} from './returned.ts';
import type { Accepted, Transferring } from './returned.ts';

export function stepAccepted(
  state: Transferring,
  accepted: Accepted,
  event: CallEvent,
  now: number,
): Step | null {
  const { side } = accepted;
  const { agentId } = side;
  switch (event.type) {
    case 'decline':
    case 'hangup':
    case 'agent-removed': {
      if (event.agentId !== agentId) return null;
      const removed = event.type === 'agent-removed';
      return without(
        withDeclined(state, agentId),
        [agentId],
        removed ? 'AGENT_GONE' : 'DECLINED',
        removed
          ? releaseAccepted(state, accepted, 'free')
          : [declinedRecord(agentId), ...releaseAccepted(state, accepted, 'declined')],
        now,
      );
    }
    case 'leg-ended':
      if (event.legId === side.legId) return connectFailed(state, accepted, event.end.message, now);
      break;
    case 'command-failed':
      if (event.legId === side.legId) return connectFailed(state, accepted, event.message, now);
      break;
    case 'tick':
      return now >= accepted.connectBy
        ? connectFailed(state, accepted, failures.agent_audio_failed.text, now)
        : null;
    default:
      break;
  }
  const change = changeSide(side, event, now);
  if (!change) return null;
  const abandoned = abandonedLeg(side, event);
  const next: Transferring = {
    ...state,
    transfer: { ...state.transfer, accepted: { ...accepted, side: change.side } },
  };
  if (change.connected) return transferred(next, change.side, change.effects, now);
  return {
    state: next,
    effects: [
      // The AGENT leg of the call detail is the first agent's until they are replaced.
      ...change.effects.filter(({ kind }) => kind !== 'leg'),
      ...(abandoned === null ? [] : [media(state, { command: 'leg:hangup', legId: abandoned })]),
    ],
  };
}

function connectFailed(state: Transferring, accepted: Accepted, message: string, now: number): Step {
  const { agentId } = accepted.side;
  return without(
    withMissed(state, [agentId]),
    [agentId],
    'CONNECT_FAILED',
    [
      { kind: 'record', type: 'CONNECT_FAILED', agentId, metadata: { message } },
      ...releaseAccepted(state, accepted, 'failed'),
    ],
    now,
  );
}

/** The audio is connected: one route connects the new agent with the customer and disconnects the first agent. */
function transferred(state: Transferring, side: AgentSide, effects: Effect[], now: number): Step {
  const { agent: old, transfer } = state;
  const { agentId } = side;
  const stop = transfer.wait?.stops[0];
  const changed: TalkingState = {
    ...state,
    agent: side,
    assignmentType: stop ? 'QUEUE' : 'TRANSFER',
    queue: stop ?? state.queue,
    held: false,
    muted: false,
    transfer: null,
    transferFailed: null,
    transferredBy: transfer.fromAgentId,
    declined: declinedIn(state),
  };
  const { state: next, effect: route } = routed(changed, conversationRoute(changed));
  return {
    state: next,
    effects: [
      route,
      { kind: 'leave', who: { agentId: old.agentId }, reason: 'TRANSFERRED' },
      ...effects,
      {
        kind: 'record',
        type: 'TRANSFERRED',
        agentId,
        durationSeconds: wholeSeconds(transfer.since, now),
        metadata: { fromAgentId: old.agentId },
      },
      { kind: 'transfer', change: 'accepted', agentId },
      { kind: 'patch', patch: { agentId } },
      { kind: 'agent', agentId, change: 'answered' },
      talked(state),
      { kind: 'publish', event: 'call.transferred' },
      ...hangUp(state, old),
      notifyAgent(agentId, { message: 'updated' }),
      notifyAgent(agentId, { message: 'agent' }),
      notifyAgent(old.agentId, { message: 'left' }),
      notifyAgent(old.agentId, { message: 'agent' }),
      { kind: 'dispatch-agent', agentId: old.agentId },
      // The queue from which the call was transferred has one conversation fewer.
      ...(state.queue && stop && state.queue.queueId !== stop.queueId
        ? [{ kind: 'dispatch', queueId: state.queue.queueId } as const]
        : []),
    ],
  };
}
