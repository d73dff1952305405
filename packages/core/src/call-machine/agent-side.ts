/**
 * The agent's side while the agent has the call (dialling, connecting, talking): the leg connects, is lost, or is replaced by a new leg.
 * The rules are the same in every phase.
 */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import type { AgentSide } from './state.ts';
import { newSide } from './shared.ts';

export interface SideChange {
  side: AgentSide;
  effects: Effect[];
  /** True if a new leg has just connected and must be added to the route. */
  connected: boolean;
}

const only = (side: AgentSide, effects: Effect[] = []): SideChange => ({ side, effects, connected: false });

/**
 * Applies an event to the agent's side.
 *
 * @returns null if the event does not concern the agent's side or changes nothing
 */
export function changeSide(side: AgentSide, event: CallEvent, now: number): SideChange | null {
  switch (event.type) {
    case 'agent-gone':
      if (event.agentId !== side.agentId || side.socketsLostAt !== null) return null;
      return only({ ...side, socketsLostAt: now }, [lost(side)]);
    case 'agent-back':
      if (event.agentId !== side.agentId || side.socketsLostAt === null) return null;
      return only({ ...side, socketsLostAt: null }, [back(side)]);
    case 'leg-interrupted':
      if (event.legId !== side.legId || side.mediaLostAt !== null) return null;
      return only({ ...side, mediaLostAt: now }, [lost(side)]);
    case 'leg-restored':
      if (event.legId !== side.legId || side.mediaLostAt === null) return null;
      return only({ ...side, mediaLostAt: null }, [back(side)]);
    case 'leg-connected':
      return event.legId === side.legId && !side.connected && !side.ended ? connect(side, event.codec) : null;
    case 'leg-ended':
      return legEnded(side, event.legId, now);
    case 'command-failed':
      return event.command === 'agent:connect' && event.legId !== null
        ? legEnded(side, event.legId, now)
        : null;
    case 'resume':
      return event.agentId === side.agentId ? resume(side, event) : null;
    default:
      return null;
  }
}

function connect(side: AgentSide, codec: string): SideChange {
  return {
    side: { ...side, connected: true, previous: null, mediaLostAt: null },
    effects: [
      {
        kind: 'leg',
        leg: 'AGENT',
        state: 'CONNECTED',
        agentId: side.agentId,
        deviceId: side.deviceId,
        legId: side.legId,
        stats: { codec },
      },
      ...(side.mediaLostAt === null ? [] : [back(side)]),
    ],
    connected: true,
  };
}

/**
 * An agent hangs up with a message. A leg that ends without one is a reload or a lost network, so the call waits for the agent to resume.
 */
function legEnded(side: AgentSide, legId: string, now: number): SideChange | null {
  if (side.previous?.legId === legId)
    return only({ ...side, previous: null, mediaLostAt: side.mediaLostAt ?? now });
  if (legId !== side.legId) return null;
  if (!side.connected && side.previous) {
    // The new leg failed; the old one is still connected.
    return only({ ...side, ...side.previous, connected: true, previous: null });
  }
  if (side.ended) return null;
  return only({ ...side, connected: false, ended: true, mediaLostAt: side.mediaLostAt ?? now }, [lost(side)]);
}

function resume(side: AgentSide, event: Extract<CallEvent, { type: 'resume' }>): SideChange | null {
  if (event.legId === side.legId) return null;
  const previous = side.connected ? { legId: side.legId, deviceId: side.deviceId } : side.previous;
  return only(
    {
      ...newSide(event),
      previous,
      socketsLostAt: null,
      mediaLostAt: side.mediaLostAt,
    },
    [
      ...(event.deviceId === side.deviceId
        ? []
        : [
            {
              kind: 'record',
              type: 'DEVICE_CHANGED',
              agentId: side.agentId,
              metadata: { deviceId: event.deviceId },
            } as const,
          ]),
      {
        kind: 'leg',
        leg: 'AGENT',
        state: 'CONNECTING',
        agentId: side.agentId,
        deviceId: event.deviceId,
      },
      { kind: 'notify-agent', agentId: side.agentId, what: { message: 'updated' } },
    ],
  );
}

/** A leg that was replaced before it connected. Media must release it. */
export const abandonedLeg = (side: AgentSide, event: CallEvent): string | null =>
  event.type === 'resume' &&
  event.agentId === side.agentId &&
  event.legId !== side.legId &&
  !side.connected &&
  !side.ended
    ? side.legId
    : null;

const lost = (side: AgentSide): Effect => ({ kind: 'record', type: 'AGENT_LOST', agentId: side.agentId });
const back = (side: AgentSide): Effect => ({ kind: 'record', type: 'AGENT_BACK', agentId: side.agentId });
