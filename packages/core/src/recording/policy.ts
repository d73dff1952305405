/** Whether a line's calls are recorded: its own choice, else the tenant's, else the account's. Pure. */
import { storedTenantSettings } from '@clarion/protocol';
import type { ChannelResource } from '@clarion/protocol/v1/tenant/channels';

export interface RecordingChoices {
  line: { recordingEnabled: boolean | null };
  /** `settings` as stored. */
  tenant: { settings: unknown };
  consumer: { recordingEnabled: boolean };
}

/** What applies, and whose choice it is. It holds for calls that begin from now on. */
export function recordingOf({ line, tenant, consumer }: RecordingChoices): ChannelResource['recording'] {
  if (line.recordingEnabled !== null) return { enabled: line.recordingEnabled, source: 'LINE' };
  const chosen = storedTenantSettings.parse(tenant.settings).recording?.enabled;
  if (chosen !== undefined && chosen !== null) return { enabled: chosen, source: 'TENANT' };
  return { enabled: consumer.recordingEnabled, source: 'ACCOUNT' };
}
