/**
 * Notifies an agent's apps, on whichever node they are connected. The content is the call as the step left it, or if that may be out of
 * date, as its rows are at that moment.
 */
import type { CallAfterStep } from '@clarion/core/call-engine/commit';
import type { AgentMessage } from '@clarion/core/call-machine/effects';
import { assertNever } from '@clarion/core/call-machine/outcome';
import type { Deps } from '../deps.ts';
import { batchedReads } from '../lib/batched-reads.ts';
import { involvementOf } from '../presenters/agent-involvement.ts';
import { presentAgent } from '../presenters/present-agent.ts';
import type { PresentedAgent } from '../presenters/present-agent.ts';
import { loadCall, loadedAfter, presentAgentCall } from '../presenters/present-call.ts';
import type { LoadedCall } from '../presenters/present-call.ts';
import { agentRoom, deviceRoom } from '../sockets/rooms.ts';
import type { AgentNamespace } from '../sockets/types.ts';

/** Resolves once the message is on its way to every node. */
export type NotifyAgent = (
  callId: number,
  agentId: number,
  what: AgentMessage,
  /** The call as the step left it; null: it must be read. */
  after: () => CallAfterStep | null,
) => Promise<void>;

/** @param published resolves when every message so far was published to the other nodes */
export function createNotifyAgent(
  deps: Pick<Deps, 'db' | 'names' | 'now'>,
  agents: AgentNamespace,
  published: () => Promise<void>,
): NotifyAgent {
  const { db } = deps;
  const readAgent = batchedReads((ids) => db.agent.findMany({ where: { id: { in: ids } } }));
  return async (callId, agentId, what, after) => {
    if (what.message === 'agent') {
      const agent = after()?.agents?.find(({ id }) => id === agentId) ?? (await readAgent(agentId));
      if (agent) emitAgentUpdated(agents, agent);
    } else {
      await emitAboutCall(agents, {
        agentId,
        what,
        callId,
        load: () => load(deps, callId, after),
        now: deps.now,
      });
    }
    await published();
  };
}

async function load(
  deps: Pick<Deps, 'db' | 'names'>,
  callId: number,
  after: () => CallAfterStep | null,
): Promise<LoadedCall | null> {
  const known = after();
  const loaded = known && (await loadedAfter(deps.names, known));
  // Names that are not cached take a while to read.
  return loaded && after() === known ? loaded : loadCall(deps, callId);
}

interface AboutCall {
  callId: number;
  agentId: number;
  what: Exclude<AgentMessage, { message: 'agent' }>;
  load: () => Promise<LoadedCall | null>;
  now: () => Date;
}

async function emitAboutCall(
  agents: AgentNamespace,
  { callId, agentId, what, load, now }: AboutCall,
): Promise<void> {
  const room = agents.to(agentRoom(agentId));
  switch (what.message) {
    case 'withdrawn': {
      const { reason, exceptDeviceId } = what;
      const to = exceptDeviceId === undefined ? room : room.except(deviceRoom(agentId, exceptDeviceId));
      to.emit('call:withdrawn', { callId, reason });
      return;
    }
    case 'incoming': {
      const loaded = await load();
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
      const loaded = await load();
      // The call may have returned to them by now.
      if (!loaded || involvementOf(loaded.state, agentId).kind !== 'none') return;
      room.emit('call:ended', { call: { ...presentAgentCall(loaded, now(), agentId), state: 'ended' } });
      return;
    }
    case 'updated':
    case 'ended': {
      const loaded = await load();
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
}

export function emitAgentUpdated(agents: AgentNamespace, agent: PresentedAgent): void {
  agents.to(agentRoom(agent.id)).emit('agent:updated', { agent: presentAgent(agent) });
}

export async function notifyAgentUpdated(
  db: Deps['db'],
  agents: AgentNamespace,
  agentId: number,
): Promise<void> {
  const agent = await db.agent.findUnique({ where: { id: agentId } });
  if (agent) emitAgentUpdated(agents, agent);
}
