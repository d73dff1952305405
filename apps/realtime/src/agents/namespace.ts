/** `/agent`: an agent's socket from its handshake to its end. */
import { ApiError } from '@clarion/protocol';
import { agentNamespace } from '@clarion/protocol/socket';
import type { Server } from 'socket.io';
import { dismiss, endOnExpiry, guardAgents } from '../auth.ts';
import type { AgentNamespace, AgentSocket, Deps } from '../deps.ts';
import type { Engine } from '../engine/runner.ts';
import { setAvailability } from '../handlers/availability.ts';
import { boardHandlers } from '../handlers/board.ts';
import { callHandlers } from '../handlers/call.ts';
import { monitorHandlers } from '../handlers/monitor.ts';
import { recordHandlers } from '../handlers/record.ts';
import { serve } from '../handlers/serve.ts';
import { transferHandlers } from '../handlers/transfer.ts';
import { wrapUpHandlers } from '../handlers/wrap-up.ts';
import { agentListener } from '../listening/agent-listener.ts';
import type { MediaNodes } from '../media/nodes.ts';
import { iceServersFor } from './ice-servers.ts';
import { agentViewer } from '../board/viewer.ts';
import type { Board } from '../board/board.ts';
import type { Monitoring } from './monitoring.ts';
import type { Presence } from './presence.ts';
import { sendSession } from './session.ts';
import { agentRoom, consumerRoom, deviceRoom, tenantRoom } from './tell.ts';

export interface AgentContext {
  deps: Deps;
  engine: Engine;
  nodes: MediaNodes;
  presence: Presence;
  monitoring: Monitoring;
  board: Board;
}

export const agentNamespaceOf = (io: Server): AgentNamespace => io.of(agentNamespace);

export function openAgentNamespace(agents: AgentNamespace, context: AgentContext): void {
  guardAgents(agents, context.deps);
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
  endOnExpiry(socket, deps);
  serve(
    socket,
    {
      'availability:set': setAvailability(socket, { ...context, agents }),
      ...callHandlers(socket, context),
      ...monitorHandlers(agentListener(socket, context), context),
      ...boardHandlers(agentViewer(socket, deps), context),
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
      deps.log.warn({ err: error, agentId }, 'failed to record a disconnected agent socket');
    });
  });
  presence.arrive(socket).catch((error: unknown) => {
    if (error instanceof ApiError) return dismiss(socket, error);
    // Without its row and its session a socket is of no use: the app comes again.
    deps.log.warn({ err: error, agentId }, 'failed to set up an agent socket');
    socket.disconnect(true);
  });
}
