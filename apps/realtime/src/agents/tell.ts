/** Says things to an agent's apps, on whichever node their sockets are; what is said is read from the rows at that moment. */
import type { AgentMessage } from '@clarion/core/call-machine/effects';
import { assertNever } from '@clarion/core/call-machine/outcome';
import type { AgentNamespace, Deps } from '../deps.ts';
import { partOf } from './part-of.ts';
import { loadCall, presentAgentCall } from './present-call.ts';
import { presentAgent } from './session.ts';

/** Every socket of an agent, and of one device of theirs. */
export const agentRoom = (agentId: number) => `agent:${agentId}`;
export const deviceRoom = (agentId: number, deviceId: string) => `device:${agentId}:${deviceId}`;
export const tenantRoom = (tenantId: number) => `tenant:${tenantId}`;
export const consumerRoom = (consumerId: number) => `consumer:${consumerId}`;

export type Tell = (callId: number, agentId: number, what: AgentMessage) => Promise<void>;

export function createTell({ db, now }: Deps, agents: AgentNamespace): Tell {
  return async (callId, agentId, what) => {
    const room = agents.to(agentRoom(agentId));
    switch (what.message) {
      case 'agent':
        return tellAgent(db, agents, agentId);
      case 'withdrawn': {
        const { reason, exceptDeviceId } = what;
        const to = exceptDeviceId === undefined ? room : room.except(deviceRoom(agentId, exceptDeviceId));
        to.emit('call:withdrawn', { callId, reason });
        return;
      }
      case 'incoming': {
        const loaded = await loadCall(db, callId);
        // The offer may be over by the time it is told.
        if (!loaded || partOf(loaded.state, agentId).kind !== 'offered') return;
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
        // It may have come back to them before this is told.
        if (!loaded || partOf(loaded.state, agentId).kind !== 'none') return;
        room.emit('call:ended', { call: { ...presentAgentCall(loaded, now(), agentId), state: 'ended' } });
        return;
      }
      case 'updated':
      case 'ended': {
        const loaded = await loadCall(db, callId);
        if (!loaded) return;
        const call = presentAgentCall(loaded, now(), agentId);
        if (call.state === 'ended') room.emit('call:ended', { call });
        else if (what.message === 'updated' && partOf(loaded.state, agentId).kind !== 'none')
          room.emit('call:updated', { call });
        return;
      }
      default:
        return assertNever(what);
    }
  };
}

export async function tellAgent(db: Deps['db'], agents: AgentNamespace, agentId: number): Promise<void> {
  const agent = await db.agent.findUnique({ where: { id: agentId } });
  if (agent) agents.to(agentRoom(agentId)).emit('agent:updated', { agent: presentAgent(agent) });
}
