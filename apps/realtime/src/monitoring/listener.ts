/** Somebody who can listen to calls, whichever way they came: an agent's app or a page of the dashboard. */
import type { Monitor } from '@clarion/core/call/state';
import type { MonitoringMode } from '@clarion/protocol';
import type { MonitorOwner } from './monitored-calls.ts';

export interface Listener {
  tenantId: number;
  owner: MonitorOwner & { deviceId: string };
  /**
   * Asked before each listening and each change of mode, of the rows as they are at that moment.
   * @throws ApiError forbidden; for a page whose session is over, unauthorized
   */
  allowed(mode: MonitoringMode): Promise<Pick<Monitor, 'kind' | 'agentId' | 'sessionId' | 'name'>>;
  /** Their audio is about to be set up, or they are heard by others from now on: kept for whoever asks who listened. */
  note(callId: number, mode: MonitoringMode): Promise<void>;
  /** Gone, or no longer allowed, while it was being set up: nobody else will say so. */
  recheck(): Promise<void>;
}
