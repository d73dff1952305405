/** Notifies the pages of a dashboard session, on whichever node they are connected. */
import type { MonitorMessage } from '@clarion/core/call-machine/effects';
import { pageRoom } from '../sockets/rooms.ts';
import type { DashboardNamespace } from '../sockets/types.ts';

/** Resolves once the message is on its way to every node. */
export type NotifySession = (callId: number, sessionId: number, what: MonitorMessage) => Promise<void>;

/** @param published resolves when every message so far was published to the other nodes */
export const createNotifySession =
  (dashboards: DashboardNamespace, published: () => Promise<void>): NotifySession =>
  (callId, sessionId, { deviceId, monitorId, ...what }) => {
    const page = dashboards.to(pageRoom(sessionId, deviceId));
    if (what.message === 'monitor-ended') {
      page.emit('monitor:ended', { callId, monitorId, reason: what.reason });
    } else {
      page.emit('monitor:updated', { callId, monitorId, mode: what.mode });
    }
    return published();
  };
