/** Whoever looks at a board, by the socket they look through. */
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { Deps } from '../deps.ts';
import type { AgentNamespace, AgentSocket, DashboardNamespace, DashboardSocket } from '../sockets/types.ts';

/** Every namespace with sockets that can look at a board. */
export type BoardNamespace = AgentNamespace | DashboardNamespace;

export interface BoardViewer {
  socket: AgentSocket | DashboardSocket;
  tenantId: number;
  /** By the rows as they are now. */
  maySee(): Promise<boolean>;
}

/** A supervisor always; an agent where the tenant lets agents see their team (spec, settings.team_view). */
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

/** Whoever may be connected may look: `team_view` is about agents' apps. */
export const dashboardViewer = (socket: DashboardSocket): BoardViewer => ({
  socket,
  tenantId: socket.data.watcher.tenant.id,
  maySee: async () => true,
});
