/** A page of the dashboard as a listener: a participant of kind DASHBOARD with the user's name. */
import { watcherOf } from '@clarion/core/realtime-ticket/watcher';
import { auditListening } from '@clarion/core/realtime-ticket/audit-listening';
import { ApiError } from '@clarion/protocol';
import type { Deps } from '../deps.ts';
import type { DashboardSocket } from '../sockets/types.ts';
import type { Listener } from './listener.ts';
import type { Monitoring } from './monitoring.ts';

export function dashboardListener(
  socket: DashboardSocket,
  { deps, monitoring }: { deps: Deps; monitoring: Monitoring },
): Listener {
  const { watcher, deviceId } = socket.data;
  const { sessionId, tenant } = watcher;
  const owner = { sessionId, deviceId };
  return {
    tenantId: tenant.id,
    owner,
    async allowed(mode) {
      const { modes, name } = await watcherOf(deps.db, { sessionId, tenantId: tenant.id }, deps.now());
      if (!modes.includes(mode)) {
        throw new ApiError('forbidden', { message: `This tenant does not allow ${mode}.` });
      }
      return { kind: 'DASHBOARD', agentId: null, sessionId, name };
    },
    note: (callId, mode) => auditListening(deps.db, socket.data.watcher, { callId, mode }, deps.now()),
    async recheck() {
      if (!socket.connected) await monitoring.stopAll(tenant.id, owner);
      await monitoring.sessionChanged(sessionId);
    },
  };
}
