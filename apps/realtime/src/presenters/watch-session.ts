/** The complete state for a page of the dashboard, sent on connect and whenever its permissions change. */
import type { WatchSession } from '@clarion/protocol/socket';
import type { Deps } from '../deps.ts';
import { monitorStates } from '../monitoring/monitored-calls.ts';
import type { DashboardSocket } from '../sockets/types.ts';
import { iceServersFor } from './ice-servers.ts';

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

/** The prefix distinguishes sessions from agents in the user name. */
export const dashboardIceServers = ({ turn, now }: Pick<Deps, 'turn' | 'now'>, sessionId: number) =>
  iceServersFor(turn, `dashboard-${sessionId}`, now());
