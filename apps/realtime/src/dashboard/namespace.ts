/** `/dashboard`: a page that watches a tenant, from its handshake to its end. */
import { admitWatcher } from '@clarion/core/realtime-ticket/watcher';
import { ApiError, unauthorized } from '@clarion/protocol';
import {
  dashboardHandshake,
  dashboardNamespace,
  MAX_DASHBOARD_SOCKETS_PER_SESSION,
} from '@clarion/protocol/socket';
import type { Server } from 'socket.io';
import type { Monitoring } from '../agents/monitoring.ts';
import { answerHandshake, atTime } from '../auth.ts';
import type { Board } from '../board/board.ts';
import { dashboardViewer } from '../board/viewer.ts';
import type { DashboardNamespace, DashboardSocket, Deps } from '../deps.ts';
import { boardHandlers } from '../handlers/board.ts';
import type { CallContext } from '../handlers/call.ts';
import { monitorHandlers } from '../handlers/monitor.ts';
import { serve } from '../handlers/serve.ts';
import { dashboardListener } from './listener.ts';
import { lookAgain } from './removals.ts';
import { pageRoom, sessionRoom } from './tell-session.ts';
import { dashboardIceServers } from './watching.ts';

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
  const known = await socketsIn(dashboards, sessionRoom(watcher.sessionId), deps.log);
  if (known >= MAX_DASHBOARD_SOCKETS_PER_SESSION) {
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
  log.info({ tenantId: tenant.id }, 'dashboard socket connected');
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
  const look = async () => {
    try {
      await lookAgain(socket, deps);
    } catch (error) {
      // Without knowing whether it may, it does not: the page comes again.
      log.warn({ err: error }, 'failed to set up a dashboard socket');
      socket.disconnect(true);
    }
    if (socket.connected) stop = atTime(socket.data.watcher.expiresAt, deps, () => void look());
  };
  socket.on('disconnect', (reason) => {
    stop();
    log.info({ reason }, 'dashboard socket disconnected');
    left(dashboards, socket, monitoring, log).catch((error: unknown) => {
      // Its audio ends by itself once its network is gone (MONITOR_GRACE_MS).
      log.warn({ err: error }, 'failed to record a closed dashboard socket');
    });
  });
  // A change between the handshake and now was told to nobody: the socket was not there yet.
  void look();
}

/** Another socket of this page may be there: a lost one is replaced before its end is noticed. */
async function left(
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

/** On all nodes; on this one alone while another one, dead perhaps, does not answer. */
async function socketsIn(dashboards: DashboardNamespace, room: string, log: Deps['log']): Promise<number> {
  try {
    return (await dashboards.in(room).fetchSockets()).length;
  } catch (error) {
    log.warn({ err: error }, 'failed to list dashboard sockets of another node');
    return (await dashboards.local.in(room).fetchSockets()).length;
  }
}
