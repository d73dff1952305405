/**
 * Rechecks the access of dashboard pages when the database notifies of a change. A page whose user was signed out or disabled, or whose
 * tenant or account is no longer active, is disconnected and stops listening; the others receive their current permissions.
 */
import { watcherOf } from '@clarion/core/realtime-ticket/watcher';
import { ApiError } from '@clarion/protocol';
import type { Deps } from '../deps.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { buildWatchSession } from '../presenters/watch-session.ts';
import { dismiss } from '../sockets/dismiss.ts';
import type { DashboardNamespace, DashboardSocket } from '../sockets/types.ts';

export class DashboardAccess {
  readonly #deps: Deps;
  readonly #dashboards: DashboardNamespace;
  readonly #monitoring: Monitoring;

  constructor(deps: Deps, dashboards: DashboardNamespace, monitoring: Monitoring) {
    this.#deps = deps;
    this.#dashboards = dashboards;
    this.#monitoring = monitoring;
  }

  /** Every node ends the session's monitoring: the node with its socket may be dead. */
  async sessionChanged(sessionId: number): Promise<void> {
    await this.#monitoring.sessionChanged(sessionId);
    await this.#recheck(({ watcher }) => watcher.sessionId === sessionId);
  }

  async staffChanged(staffUserId: number): Promise<void> {
    const sessions = await this.#deps.db.dashboardSession.findMany({
      where: { staffUserId },
      select: { id: true },
    });
    for (const { id } of sessions) await this.#monitoring.sessionChanged(id);
    await this.#recheck(({ watcher }) => watcher.staffUserId === staffUserId);
  }

  async tenantChanged(tenantId: number): Promise<void> {
    await this.#recheck(({ watcher }) => watcher.tenant.id === tenantId);
  }

  async consumerChanged(consumerId: number): Promise<void> {
    await this.#recheck(({ watcher }) => watcher.consumerId === consumerId);
  }

  /** After notifications may have been missed. */
  async checkAll(): Promise<void> {
    await this.#recheck(() => true);
  }

  async #recheck(which: (data: DashboardSocket['data']) => boolean): Promise<void> {
    for (const socket of [...this.#dashboards.sockets.values()]) {
      if (which(socket.data)) await recheckAccess(socket, this.#deps);
    }
  }
}

/** Whether this page may still watch, by the current rows. */
export async function recheckAccess(socket: DashboardSocket, deps: Deps): Promise<void> {
  const { sessionId, tenant } = socket.data.watcher;
  try {
    socket.data.watcher = await watcherOf(deps.db, { sessionId, tenantId: tenant.id }, deps.now());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    deps.log.info({ sessionId, code: error.code }, 'dashboard page disconnected: access revoked');
    return dismiss(socket, error);
  }
  socket.emit('watching', await buildWatchSession(deps, socket.data));
}
