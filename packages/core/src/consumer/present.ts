/** Consumer row → the operator's view; rows of keys → resources. */
import type { ApiKey, Consumer, SigningKey } from '@clarion/db';
import type { ApiKeyResource, SigningKeyResource } from '@clarion/protocol/v1/account/keys';

export interface ConsumerView {
  id: number;
  slug: string;
  name: string;
  status: 'ACTIVE' | 'SUSPENDED';
  selfService: 'OFF' | 'APPROVAL' | 'AUTO';
  recordingEnabled: boolean;
  webhookUrl: string | null;
  lookupUrl: string | null;
  plan: {
    callsAtOnce: number;
    outboundPerMinute: number;
    countries: string[];
    audioAssets: number;
    audioMegabytes: number;
    trunks: number;
    /** Per minute; null: no limit. */
    maxRate: string | null;
    blockedPrefixes: string[];
    /** Of the operator; null: the account pays nothing. */
    pricePlanId: number | null;
  };
  createdAt: string;
}

export const presentConsumer = (consumer: Consumer): ConsumerView => ({
  id: consumer.id,
  slug: consumer.slug,
  name: consumer.name,
  status: consumer.status,
  selfService: consumer.selfService,
  recordingEnabled: consumer.recordingEnabled,
  webhookUrl: consumer.webhookUrl,
  lookupUrl: consumer.lookupUrl,
  plan: {
    callsAtOnce: consumer.planCallsAtOnce,
    outboundPerMinute: consumer.planOutboundPerMinute,
    countries: consumer.planCountries,
    audioAssets: consumer.planAudioAssets,
    audioMegabytes: consumer.planAudioMegabytes,
    trunks: consumer.planTrunks,
    maxRate: consumer.planMaxRate?.toFixed() ?? null,
    blockedPrefixes: consumer.planBlockedPrefixes,
    pricePlanId: consumer.pricePlanId,
  },
  createdAt: consumer.createdAt.toISOString(),
});

export const presentApiKey = ({
  id,
  name,
  prefix,
  expiresAt,
  lastUsedAt,
  createdAt,
}: ApiKey): ApiKeyResource => ({
  id,
  name,
  prefix,
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

export const presentSigningKey = ({ id, kid, name, createdAt }: SigningKey): SigningKeyResource => ({
  id,
  kid,
  name,
  createdAt: createdAt.toISOString(),
});
