/** Which live calls an agent or a dashboard session monitors, by the calls' stored states. */
import { parseState } from '@clarion/core/call-engine/stored';
import type { Monitor } from '@clarion/core/call-machine/state';
import type { Tx } from '@clarion/db';
import type { MonitorState } from '@clarion/protocol/socket';

export interface MonitoredCall {
  callId: number;
  monitor: Monitor;
}

/** An agent or a dashboard session, on one device or on all. */
export type MonitorOwner = ({ agentId: number } | { sessionId: number }) & { deviceId?: string };

export const isOwnedBy = (monitor: Monitor, owner: MonitorOwner): boolean =>
  ('agentId' in owner ? monitor.agentId === owner.agentId : monitor.sessionId === owner.sessionId) &&
  (owner.deviceId === undefined || monitor.deviceId === owner.deviceId);

/** Live calls that the owner monitors, in one tenant or (null) in all. */
export async function callsMonitoredBy(
  db: Tx,
  tenantId: number | null,
  owner: MonitorOwner,
): Promise<MonitoredCall[]> {
  const rows = await db.liveCall.findMany({
    where: {
      ...(tenantId !== null && { tenantId }),
      state: { path: ['monitors'], array_contains: [{ ...owner }] },
    },
    select: { callId: true, state: true },
  });
  return rows.flatMap(({ callId, state }) =>
    monitorsIn(state)
      .filter((monitor) => isOwnedBy(monitor, owner))
      .map((monitor) => ({ callId, monitor })),
  );
}

/** As their apps and pages receive it on connect. */
export async function monitorStates(db: Tx, tenantId: number, owner: MonitorOwner): Promise<MonitorState[]> {
  const monitored = await callsMonitoredBy(db, tenantId, owner);
  return monitored.flatMap(({ callId, monitor: { legId, deviceId, mode } }) =>
    deviceId === null ? [] : [{ callId, monitorId: legId, deviceId, mode }],
  );
}

export function monitorsIn(json: unknown): Monitor[] {
  const state = parseState(json);
  return state.phase === 'talking' ? state.monitors : [];
}
