/** `/dashboard`: the life of the socket of a page that watches a tenant. */
import { admitWatcher } from '@clarion/core/realtime-ticket/watcher';
import { ApiError, unauthorized } from '@clarion/protocol';
import {
  dashboardHandshake,
  dashboardNamespace,
  MAX_DASHBOARD_SOCKETS_PER_SESSION,
} from '@clarion/protocol/socket';
import type { Server } from 'socket.io';
import type { Board } from '../board/board.ts';
import { dashboardViewer } from '../board/viewer.ts';
import type { Deps } from '../deps.ts';
import { boardHandlers } from '../handlers/board.ts';
import type { CallContext } from '../handlers/call.ts';
import { monitorHandlers } from '../handlers/monitor.ts';
import { runAt } from '../lib/run-at.ts';
import { dashboardListener } from '../monitoring/dashboard-listener.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { dashboardIceServers } from '../presenters/watch-session.ts';
import { answerHandshake } from '../sockets/handshake.ts';
import { pageRoom, sessionRoom } from '../sockets/rooms.ts';
import { serve } from '../sockets/serve.ts';
import type { DashboardNamespace, DashboardSocket } from '../sockets/types.ts';
import { recheckAccess } from './access.ts';

export interface DashboardContext extends CallContext {
  monitoring: Monitoring;
  board: Board;
}

export const dashboardNamespaceOf = (io: Server): DashboardNamespace => io.of(dashboardNamespace);

export function openDashboardNamespace(dashboards: DashboardNamespace, context: DashboardContext): void {
  const { deps } = context;
  dashboards.use((socket, next) =>
    answerHandshake(admit(dashboards, socket, deps), next, deps.log.child({ of: 'dashboard' })),
  );
  dashboards.on('connection', (socket) => open(dashboards, socket, context));
}

async function admit(dashboards: DashboardNamespace, socket: DashboardSocket, deps: Deps): Promise<void> {
  const auth = dashboardHandshake.safeParse(socket.handshake.auth);
  if (!auth.success || auth.data.deviceId.includes('\0')) {
    throw unauthorized('The handshake must contain a ticket and a deviceId.');
  }
  const watcher = await admitWatcher(deps, auth.data.ticket, deps.now());
  const open = await socketsIn(dashboards, sessionRoom(watcher.sessionId), deps.log);
  if (open >= MAX_DASHBOARD_SOCKETS_PER_SESSION) {
    throw new ApiError('rate_limited', {
      message: `This session is already open on ${MAX_DASHBOARD_SOCKETS_PER_SESSION} pages. Close one of them.`,
    });
  }
  socket.data = { watcher, deviceId: auth.data.deviceId };
}

function open(dashboards: DashboardNamespace, socket: DashboardSocket, context: DashboardContext): void {
  const { deps, monitoring } = context;
  const { watcher, deviceId } = socket.data;
  const { sessionId, tenant } = watcher;
  const log = deps.log.child({ sessionId, socketId: socket.id });
  log.info({ tenantId: tenant.id }, 'dashboard page connected');
  void socket.join([sessionRoom(sessionId), pageRoom(sessionId, deviceId)]);
  serve(
    socket,
    {
      ...monitorHandlers(dashboardListener(socket, context), context),
      ...boardHandlers(dashboardViewer(socket), context),
      'ice:servers': async () => ({ iceServers: dashboardIceServers(deps, sessionId) }),
    },
    log,
  );
  let stop = () => {};
  const recheck = async () => {
    try {
      await recheckAccess(socket, deps);
    } catch (error) {
      // Access that cannot be verified is denied; the page reconnects.
      log.warn({ err: error }, 'failed to recheck the access of a dashboard page');
      socket.disconnect(true);
    }
    if (socket.connected) stop = runAt(socket.data.watcher.expiresAt, deps, () => void recheck());
  };
  socket.on('disconnect', (reason) => {
    stop();
    log.info({ reason }, 'dashboard page disconnected');
    stopMonitoring(dashboards, socket, monitoring, log).catch((error: unknown) => {
      // Its audio ends by itself once its network is gone (MONITOR_GRACE_MS).
      log.warn({ err: error }, 'failed to end the monitoring of a closed dashboard page');
    });
  });
  // Notifications of changes since the handshake did not reach this socket.
  void recheck();
}

/** Another socket of this page may be connected: the page may reconnect before its lost socket times out. */
async function stopMonitoring(
  dashboards: DashboardNamespace,
  socket: DashboardSocket,
  monitoring: Monitoring,
  log: Deps['log'],
): Promise<void> {
  const { watcher, deviceId } = socket.data;
  const { sessionId, tenant } = watcher;
  const others = await socketsIn(dashboards, pageRoom(sessionId, deviceId), log);
  if (others === 0) await monitoring.stopAll(tenant.id, { sessionId, deviceId });
}

/** On all nodes; on this node only if another one does not reply, because it may be dead. */
async function socketsIn(dashboards: DashboardNamespace, room: string, log: Deps['log']): Promise<number> {
  try {
    return (await dashboards.in(room).fetchSockets()).length;
  } catch (error) {
    log.warn({ err: error }, 'another node did not report its dashboard sockets');
    return (await dashboards.local.in(room).fetchSockets()).length;
  }
}
