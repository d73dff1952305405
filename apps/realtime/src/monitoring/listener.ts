/** A person who can monitor calls, from an agent's app or a page of the dashboard. */
import type { Monitor } from '@clarion/core/call-machine/state';
import type { MonitoringMode } from '@clarion/protocol';
import type { MonitorOwner } from './monitored-calls.ts';

export interface Listener {
  tenantId: number;
  owner: MonitorOwner & { deviceId: string };
  /**
   * Called before each start and each change of mode; reads the current rows.
   * @throws ApiError forbidden; for a page whose session is over, unauthorized
   */
  allowed(mode: MonitoringMode): Promise<Pick<Monitor, 'kind' | 'agentId' | 'sessionId' | 'name'>>;
  /** Records who monitored the call and in which mode. Called before their audio is set up and before the mode changes. */
  note(callId: number, mode: MonitoringMode): Promise<void>;
  /** Ends the monitoring if they disconnected or lost access while it was being set up. */
  recheck(): Promise<void>;
}
