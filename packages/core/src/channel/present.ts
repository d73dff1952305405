/** Line row → resource, with the recording policy that applies to it. */
import type { ChannelResource } from '@clarion/protocol/v1/tenant/channels';
import type { Consumer, Tenant } from '@clarion/db';
import { recordingOf } from '../recording/policy.ts';
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
  backupSipTrunkId: channel.backupSipTrunkId,
  leastCostRouting: channel.leastCostRouting,
  marginGuard: channel.marginGuard,
  phoneNumberId: channel.number?.id ?? null,
  inboundQueueId: channel.inboundQueueId,
  ownerAgentId: channel.ownerAgentId,
  ringTimeoutSeconds: channel.ringTimeoutSeconds,
  recordingEnabled: channel.recordingEnabled,
  recording: recordingOf({ line: channel, tenant, consumer }),
  hasCredentials: channel.credentialsSealed !== null,
  status: channel.status,
});
