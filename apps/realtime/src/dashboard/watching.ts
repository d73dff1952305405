/** The whole truth for a page of the dashboard, on connect and whenever what it may do has changed. */
import type { WatchSession } from '@clarion/protocol/socket';
import { iceServersFor } from '../agents/ice-servers.ts';
import { monitorStates } from '../agents/monitoring.ts';
import type { DashboardSocket, Deps } from '../deps.ts';

export async function buildWatchSession(
  { db, turn, now }: Pick<Deps, 'db' | 'turn' | 'now'>,
  { watcher }: DashboardSocket['data'],
): Promise<WatchSession> {
  const { sessionId, tenant, modes } = watcher;
  return {
    tenant: { ref: tenant.ref, name: tenant.name },
    monitoringModes: modes,
    iceServers: dashboardIceServers({ turn, now }, sessionId),
    serverTime: now().toISOString(),
    monitors: await monitorStates(db, tenant.id, { sessionId }),
  };
}

/** Told apart from agents' by its name. */
export const dashboardIceServers = ({ turn, now }: Pick<Deps, 'turn' | 'now'>, sessionId: number) =>
  iceServersFor(turn, `dashboard-${sessionId}`, now());
