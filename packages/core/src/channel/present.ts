/** Line row → resource, with the recording choice that applies to it. */
import { storedTenantSettings } from '@clarion/protocol';
import type { ChannelResource } from '@clarion/protocol/v1/channels';
import type { Consumer, Tenant } from '@clarion/db';
import type { ChannelRow } from './channel-of.ts';

export const presentChannel = (
  channel: ChannelRow,
  tenant: Tenant,
  consumer: Pick<Consumer, 'recordingEnabled'>,
): ChannelResource => ({
  id: channel.id,
  ref: channel.ref,
  type: channel.type,
  displayName: channel.displayName,
  address: channel.address,
  providerAccountId: channel.providerAccountId,
  sipTrunkId: channel.sipTrunkId,
  phoneNumberId: channel.number?.id ?? null,
  inboundQueueId: channel.inboundQueueId,
  ownerAgentId: channel.ownerAgentId,
  ringTimeoutSeconds: channel.ringTimeoutSeconds,
  recordingEnabled: channel.recordingEnabled,
  recording: recordingOf(channel.recordingEnabled, tenant, consumer),
  hasCredentials: channel.credentialsSealed !== null,
  status: channel.status,
});

/** The line's choice, else the tenant's, else the account's. */
function recordingOf(
  own: boolean | null,
  tenant: Pick<Tenant, 'settings'>,
  consumer: Pick<Consumer, 'recordingEnabled'>,
): ChannelResource['recording'] {
  if (own !== null) return { enabled: own, source: 'LINE' };
  const chosen = storedTenantSettings.parse(tenant.settings).recording?.enabled;
  if (chosen !== undefined && chosen !== null) return { enabled: chosen, source: 'TENANT' };
  return { enabled: consumer.recordingEnabled, source: 'ACCOUNT' };
}
