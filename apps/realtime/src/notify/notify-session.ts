/** Notifies the pages of a dashboard session, on whichever node they are connected. */
import type { MonitorMessage } from '@clarion/core/call-machine/effects';
import { pageRoom } from '../sockets/rooms.ts';
import type { DashboardNamespace } from '../sockets/types.ts';

export type NotifySession = (callId: number, sessionId: number, what: MonitorMessage) => void;

export const createNotifySession =
  (dashboards: DashboardNamespace): NotifySession =>
  (callId, sessionId, { deviceId, monitorId, ...what }) => {
    const page = dashboards.to(pageRoom(sessionId, deviceId));
    if (what.message === 'monitor-ended') {
      page.emit('monitor:ended', { callId, monitorId, reason: what.reason });
    } else {
      page.emit('monitor:updated', { callId, monitorId, mode: what.mode });
    }
  };
