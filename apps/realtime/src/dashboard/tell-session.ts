/** Says things to the pages of a session, on whichever node their sockets are. */
import type { MonitorMessage } from '@clarion/core/call-machine/effects';
import type { DashboardNamespace } from '../deps.ts';

/** Every page of a session, and the ones of one device. */
export const sessionRoom = (sessionId: number) => `session:${sessionId}`;
export const pageRoom = (sessionId: number, deviceId: string) => `page:${sessionId}:${deviceId}`;

export type TellSession = (callId: number, sessionId: number, what: MonitorMessage) => void;

export const createTellSession =
  (dashboards: DashboardNamespace): TellSession =>
  (callId, sessionId, { deviceId, monitorId, ...what }) => {
    const page = dashboards.to(pageRoom(sessionId, deviceId));
    if (what.message === 'monitor-ended') {
      page.emit('monitor:ended', { callId, monitorId, reason: what.reason });
    } else {
      page.emit('monitor:updated', { callId, monitorId, mode: what.mode });
    }
  };
