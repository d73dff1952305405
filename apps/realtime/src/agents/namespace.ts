/** `/agent`: the life of an agent's socket. */
import { ApiError } from '@clarion/protocol';
import { agentNamespace } from '@clarion/protocol/socket';
import type { Server } from 'socket.io';
import type { Board } from '../board/board.ts';
import { agentViewer } from '../board/viewer.ts';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { setAvailability } from '../handlers/availability.ts';
import { boardHandlers } from '../handlers/board.ts';
import { callHandlers } from '../handlers/call.ts';
import { monitorHandlers } from '../handlers/monitor.ts';
import { pushHandlers } from '../handlers/push.ts';
import { recordHandlers } from '../handlers/record.ts';
import { transferHandlers } from '../handlers/transfer.ts';
import { wrapUpHandlers } from '../handlers/wrap-up.ts';
import type { MediaNodes } from '../media/nodes.ts';
import { agentListener } from '../monitoring/agent-listener.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { sendSession } from '../notify/send-session.ts';
import { iceServersFor } from '../presenters/ice-servers.ts';
import { dismiss } from '../sockets/dismiss.ts';
import { agentRoom, consumerRoom, deviceRoom, tenantRoom } from '../sockets/rooms.ts';
import { serve } from '../sockets/serve.ts';
import type { AgentNamespace, AgentSocket } from '../sockets/types.ts';
import { authenticateAgents, closeOnExpiry } from './authenticate.ts';
import type { Presence } from './presence.ts';

export interface AgentContext {
  deps: Deps;
  engine: CallEngine;
  nodes: MediaNodes;
  presence: Presence;
  monitoring: Monitoring;
  board: Board;
}

export const agentNamespaceOf = (io: Server): AgentNamespace => io.of(agentNamespace);

export function openAgentNamespace(agents: AgentNamespace, context: AgentContext): void {
  authenticateAgents(agents, context.deps);
  agents.on('connection', (socket) => open(agents, socket, context));
}

function open(agents: AgentNamespace, socket: AgentSocket, context: AgentContext): void {
  const { deps, presence } = context;
  const { agentId, tenantId, consumerId, deviceId } = socket.data;
  deps.log.info({ agentId, deviceId, socketId: socket.id }, 'agent connected');
  void socket.join([
    agentRoom(agentId),
    deviceRoom(agentId, deviceId),
    tenantRoom(tenantId),
    consumerRoom(consumerId),
  ]);
  closeOnExpiry(socket, deps);
  serve(
    socket,
    {
      'availability:set': setAvailability(socket, { ...context, agents }),
      ...callHandlers(socket, context),
      ...monitorHandlers(agentListener(socket, context), context),
      ...boardHandlers(agentViewer(socket, deps), context),
      ...pushHandlers(socket, deps),
      ...recordHandlers(socket, context),
      ...transferHandlers(socket, context),
      ...wrapUpHandlers(socket, { ...context, agents }),
      'ice:servers': async () => ({ iceServers: iceServersFor(deps.turn, agentId, deps.now()) }),
      resync: async () => {
        await sendSession(deps, socket);
        return {};
      },
    },
    deps.log.child({ agentId }),
  );
  socket.on('disconnect', (reason) => {
    deps.log.info({ agentId, deviceId, socketId: socket.id, reason }, 'agent disconnected');
    presence.leave(socket).catch((error: unknown) => {
      deps.log.warn({ err: error, agentId }, 'failed to record a closed socket');
    });
  });
  presence.arrive(socket).catch((error: unknown) => {
    if (error instanceof ApiError) return dismiss(socket, error);
    // Without its row and its session the socket is useless; the app reconnects.
    deps.log.warn({ err: error, agentId }, 'failed to admit a socket');
    socket.disconnect(true);
  });
}
