/** Who watches a board through a socket, and whether they may. */
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { Deps } from '../deps.ts';
import type { AgentNamespace, AgentSocket, DashboardNamespace, DashboardSocket } from '../sockets/types.ts';

/** The namespaces whose sockets can watch a board. */
export type BoardNamespace = AgentNamespace | DashboardNamespace;

export interface BoardViewer {
  socket: AgentSocket | DashboardSocket;
  tenantId: number;
  /** By the current rows. */
  maySee(): Promise<boolean>;
}

/**
 * Supervisors may always see the board, agents if the tenant's `team_view` setting allows it
 * (docs/requirements.md#agents-and-supervisors).
 */
export const agentViewer = (socket: AgentSocket, { db }: Pick<Deps, 'db'>): BoardViewer => ({
  socket,
  tenantId: socket.data.tenantId,
  async maySee() {
    const agent = await db.agent.findUnique({
      where: { id: socket.data.agentId },
      select: { role: true, deletedAt: true, tenant: { select: { settings: true } } },
    });
    if (!agent || agent.deletedAt) return false;
    const { teamView } = tenantSettingsWithDefaults(storedTenantSettings.parse(agent.tenant.settings));
    return agent.role === 'SUPERVISOR' || teamView;
  },
});

/** Every connected page may see the board: `team_view` concerns agents' apps only. */
export const dashboardViewer = (socket: DashboardSocket): BoardViewer => ({
  socket,
  tenantId: socket.data.watcher.tenant.id,
  maySee: async () => true,
});
