/** Notifies an agent's apps, on whichever node they are connected. The content is read from the rows at that moment. */
import type { AgentMessage } from '@clarion/core/call-machine/effects';
import { assertNever } from '@clarion/core/call-machine/outcome';
import type { Deps } from '../deps.ts';
import { involvementOf } from '../presenters/agent-involvement.ts';
import { presentAgent } from '../presenters/present-agent.ts';
import { loadCall, presentAgentCall } from '../presenters/present-call.ts';
import { agentRoom, deviceRoom } from '../sockets/rooms.ts';
import type { AgentNamespace } from '../sockets/types.ts';

export type NotifyAgent = (callId: number, agentId: number, what: AgentMessage) => Promise<void>;

export function createNotifyAgent({ db, now }: Deps, agents: AgentNamespace): NotifyAgent {
  return async (callId, agentId, what) => {
    const room = agents.to(agentRoom(agentId));
    switch (what.message) {
      case 'agent':
        return notifyAgentUpdated(db, agents, agentId);
      case 'withdrawn': {
        const { reason, exceptDeviceId } = what;
        const to = exceptDeviceId === undefined ? room : room.except(deviceRoom(agentId, exceptDeviceId));
        to.emit('call:withdrawn', { callId, reason });
        return;
      }
      case 'incoming': {
        const loaded = await loadCall(db, callId);
        // The offer may be over by now.
        if (!loaded || involvementOf(loaded.state, agentId).kind !== 'offered') return;
        const call = presentAgentCall(loaded, now(), agentId);
        room.emit('call:incoming', {
          call,
          assignmentType: call.assignmentType ?? 'QUEUE',
          expiresAt: new Date(what.expiresAt).toISOString(),
        });
        return;
      }
      case 'monitor-ended':
        agents
          .to(deviceRoom(agentId, what.deviceId))
          .emit('monitor:ended', { callId, monitorId: what.monitorId, reason: what.reason });
        return;
      case 'monitor-updated':
        agents
          .to(deviceRoom(agentId, what.deviceId))
          .emit('monitor:updated', { callId, monitorId: what.monitorId, mode: what.mode });
        return;
      case 'left': {
        const loaded = await loadCall(db, callId);
        // The call may have returned to them by now.
        if (!loaded || involvementOf(loaded.state, agentId).kind !== 'none') return;
        room.emit('call:ended', { call: { ...presentAgentCall(loaded, now(), agentId), state: 'ended' } });
        return;
      }
      case 'updated':
      case 'ended': {
        const loaded = await loadCall(db, callId);
        if (!loaded) return;
        const call = presentAgentCall(loaded, now(), agentId);
        if (call.state === 'ended') room.emit('call:ended', { call });
        else if (what.message === 'updated' && involvementOf(loaded.state, agentId).kind !== 'none')
          room.emit('call:updated', { call });
        return;
      }
      default:
        return assertNever(what);
    }
  };
}

export async function notifyAgentUpdated(
  db: Deps['db'],
  agents: AgentNamespace,
  agentId: number,
): Promise<void> {
  const agent = await db.agent.findUnique({ where: { id: agentId } });
  if (agent) agents.to(agentRoom(agentId)).emit('agent:updated', { agent: presentAgent(agent) });
}
