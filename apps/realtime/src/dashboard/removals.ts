/**
 * Acts on what the API changed about the people at the dashboard, which the database says by NOTIFY: whoever was signed out, is
 * disabled, or whose tenant or account is gone is sent away at once and hears nothing more; the others are told what they may do now.
 */
import { watcherOf } from '@clarion/core/realtime-ticket/watcher';
import { ApiError } from '@clarion/protocol';
import type { Monitoring } from '../agents/monitoring.ts';
import { dismiss } from '../auth.ts';
import type { DashboardNamespace, DashboardSocket, Deps } from '../deps.ts';
import { buildWatchSession } from './watching.ts';

export class DashboardRemovals {
  readonly #deps: Deps;
  readonly #dashboards: DashboardNamespace;
  readonly #monitoring: Monitoring;

  constructor(deps: Deps, dashboards: DashboardNamespace, monitoring: Monitoring) {
    this.#deps = deps;
    this.#dashboards = dashboards;
    this.#monitoring = monitoring;
  }

  /** Its listening is ended by whichever node hears of it: the one with its socket may be gone. */
  async sessionChanged(sessionId: number): Promise<void> {
    await this.#monitoring.sessionChanged(sessionId);
    await this.#look(({ watcher }) => watcher.sessionId === sessionId);
  }

  async staffChanged(staffUserId: number): Promise<void> {
    const sessions = await this.#deps.db.dashboardSession.findMany({
      where: { staffUserId },
      select: { id: true },
    });
    for (const { id } of sessions) await this.#monitoring.sessionChanged(id);
    await this.#look(({ watcher }) => watcher.staffUserId === staffUserId);
  }

  async tenantChanged(tenantId: number): Promise<void> {
    await this.#look(({ watcher }) => watcher.tenant.id === tenantId);
  }

  async consumerChanged(consumerId: number): Promise<void> {
    await this.#look(({ watcher }) => watcher.consumerId === consumerId);
  }

  /** After notifications may have been missed. */
  async checkAll(): Promise<void> {
    await this.#look(() => true);
  }

  async #look(which: (data: DashboardSocket['data']) => boolean): Promise<void> {
    for (const socket of [...this.#dashboards.sockets.values()]) {
      if (which(socket.data)) await lookAgain(socket, this.#deps);
    }
  }
}

/** Whether this page may still watch, by the rows as they are now. */
export async function lookAgain(socket: DashboardSocket, deps: Deps): Promise<void> {
  const { sessionId, tenant } = socket.data.watcher;
  try {
    socket.data.watcher = await watcherOf(deps.db, { sessionId, tenantId: tenant.id }, deps.now());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    deps.log.info({ sessionId, code: error.code }, 'closing a dashboard socket');
    return dismiss(socket, error);
  }
  socket.emit('watching', await buildWatchSession(deps, socket.data));
}
