/** talking: both sides are connected, or the agent is disconnected for a moment. */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { outcomeOfTalking, outcomes } from './outcome.ts';
import type { TalkingState } from './state.ts';
import { abandonedLeg, changeSide } from './agent-side.ts';
import { stepMonitors, withoutHolders } from './monitors.ts';
import { conversationRoute, rerouted } from './route.ts';
import { end, media, notifyAgent, routed, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { beginTransfer, holderGraceEndsAt, isTransferring, stepTransfer, withoutHolder } from './transfer.ts';

/**
 * Entry: the call is answered.
 *
 * @param effects those of the previous phase
 * @param isRouted whether the last route of the call is that of the conversation
 */
export function talk(state: TalkingState, effects: Effect[], now: number, isRouted = false): Step {
  const { agentId } = state.agent;
  const route = isRouted ? null : routed(state, conversationRoute(state));
  return {
    state: route?.state ?? state,
    effects: [
      ...effects,
      { kind: 'record', type: 'ANSWERED', agentId, metadata: { media: state.mediaPath } },
      { kind: 'patch', patch: { status: 'IN_PROGRESS', answeredAt: now } },
      { kind: 'agent', agentId, change: 'answered' },
      { kind: 'publish', event: 'call.answered' },
      ...(state.record
        ? ([
            { kind: 'recording', change: 'begin' },
            { kind: 'record', type: 'RECORDING_STARTED' },
          ] as const)
        : []),
      ...(route ? [route.effect] : []),
      notifyAgent(agentId, { message: 'updated' }),
      notifyAgent(agentId, { message: 'agent' }),
    ],
  };
}

/** Monitors first, since they never end the call; then an ongoing transfer; then the conversation itself. */
export function stepTalking(state: TalkingState, event: CallEvent, now: number): Step {
  const monitored = stepMonitors(state, event, now);
  const transfer = isTransferring(monitored.state) ? stepTransfer(monitored.state, event, now) : null;
  const next = transfer ?? stepConversation(monitored.state, event, now);
  return withoutHolders({ state: next.state, effects: [...monitored.effects, ...next.effects] });
}

function stepConversation(state: TalkingState, event: CallEvent, now: number): Step {
  const { agentId } = state.agent;
  switch (event.type) {
    case 'hangup':
      return event.agentId === agentId ? end(state, outcomes.completedBy('AGENT'), now) : unchanged(state);
    case 'terminate':
      return end(state, outcomes.completedBy('CONSUMER'), now);
    case 'agent-removed':
      if (event.agentId !== agentId) return unchanged(state);
      return isTransferring(state)
        ? withoutHolder(state, now)
        : end(state, outcomes.agentDisconnected(), now);
    case 'transfer':
      return beginTransfer(state, event, now);
    case 'mute':
      if (event.agentId !== agentId || event.muted === state.muted) return unchanged(state);
      return {
        state: { ...state, muted: event.muted },
        effects: [
          { kind: 'record', type: event.muted ? 'MUTED' : 'UNMUTED', agentId },
          notifyAgent(agentId, { message: 'updated' }),
        ],
      };
    case 'hold':
      if (event.agentId !== agentId || event.held === state.held) return unchanged(state);
      return rerouted({ ...state, held: event.held }, [
        { kind: 'record', type: event.held ? 'HELD' : 'UNHELD', agentId },
        notifyAgent(agentId, { message: 'updated' }),
      ]);
    case 'record-pause':
      if (event.agentId !== agentId || !state.record || event.paused === state.recordingPaused) {
        return unchanged(state);
      }
      return rerouted({ ...state, recordingPaused: event.paused }, [
        { kind: 'record', type: event.paused ? 'RECORDING_PAUSED' : 'RECORDING_RESUMED', agentId },
        notifyAgent(agentId, { message: 'updated' }),
      ]);
    case 'dtmf':
      if (event.agentId !== agentId) return unchanged(state);
      // The digits may be a card number, so the log contains that keys were sent, not which.
      return {
        state,
        effects: [
          { kind: 'record', type: 'DTMF_SENT', agentId, metadata: { count: event.digits.length } },
          media(state, { command: 'leg:dtmf', legId: state.carrierLegId, digits: event.digits }),
        ],
      };
    case 'leg-ended':
      if (event.legId === state.carrierLegId) {
        return end(state, outcomeOfTalking(event.end), now, {
          before: event.stats
            ? [{ kind: 'leg', leg: 'CUSTOMER', state: 'DISCONNECTED', stats: event.stats }]
            : [],
        });
      }
      if (event.legId === state.agent.legId && event.end.cause === 'rtp-timeout' && !isTransferring(state)) {
        return end(state, outcomes.networkError('agent_no_audio'), now);
      }
      break;
    case 'media-lost':
      return event.mediaNodeId === state.mediaNodeId
        ? end(state, outcomes.systemError('The connection to the media node was lost.'), now)
        : unchanged(state);
    case 'tick': {
      const grace = holderGraceEndsAt(state);
      return grace !== null && now >= grace
        ? end(state, outcomes.agentDisconnected(), now)
        : unchanged(state);
    }
    default:
      break;
  }
  const change = changeSide(state.agent, event, now);
  if (!change) return unchanged(state);
  const abandoned = abandonedLeg(state.agent, event);
  const next: TalkingState = { ...state, agent: change.side };
  const effects: Effect[] = [
    ...change.effects,
    ...(abandoned === null ? [] : [media(state, { command: 'leg:hangup', legId: abandoned })]),
  ];
  return change.connected ? rerouted(next, effects) : { state: next, effects };
}
