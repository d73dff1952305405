/** A supervisor's app as a listener. */
import { ApiError, storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { Deps } from '../deps.ts';
import type { AgentSocket } from '../sockets/types.ts';
import type { Listener } from './listener.ts';
import type { Monitoring } from './monitoring.ts';

const forbidden = (message: string) => new ApiError('forbidden', { message });

export function agentListener(
  socket: AgentSocket,
  { deps, monitoring }: { deps: Deps; monitoring: Monitoring },
): Listener {
  const { agentId, tenantId, deviceId } = socket.data;
  return {
    tenantId,
    owner: { agentId, deviceId },
    async allowed(mode) {
      const agent = await deps.db.agent.findUniqueOrThrow({
        where: { id: agentId },
        select: { name: true, role: true, tenant: { select: { settings: true } } },
      });
      if (agent.role !== 'SUPERVISOR') throw forbidden('Only supervisors can monitor calls.');
      const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(agent.tenant.settings));
      if (!settings.monitoring.modes.includes(mode)) throw forbidden(`This tenant does not allow ${mode}.`);
      return { kind: 'SUPERVISOR', agentId, name: agent.name };
    },
    // The call's participants and log contain it.
    note: async () => undefined,
    async recheck() {
      if (!socket.connected) await monitoring.socketClosed(tenantId, agentId, deviceId);
      await monitoring.agentChanged(agentId);
    },
  };
}
