/** Push rows → resources. No secrets are shown. */
import type { PushCredential, PushToken } from '@clarion/db';
import { pushProviders } from '@clarion/protocol';
import { pushPlatforms, pushTokenProviders } from '@clarion/protocol/v1/tenant/push';
import { storedPushSettings } from '@clarion/protocol/v1/tenant/push-credentials';
import type { PushTokenResource } from '@clarion/protocol/v1/tenant/push';
import type { PushCredentialsResource } from '@clarion/protocol/v1/tenant/push-credentials';
import { z } from 'zod';
import type { SecretBox } from '../security/secret-box.ts';

const DOTS = '••••';
/** The last characters of a token of at least this length reveal little. Nothing is shown of a shorter one. */
const SHOWN_FROM_CHARS = 16;
const SHOWN_CHARS = 4;

const stored = z.object({ platform: z.enum(pushPlatforms), provider: z.enum(pushTokenProviders) });

export const presentPushToken = (row: PushToken, secrets: SecretBox): PushTokenResource => ({
  deviceId: row.deviceId,
  ...stored.parse({ platform: row.platform, provider: row.provider }),
  token: masked(secrets.open('push-token', row.tokenSealed)),
  rejectedAt: row.rejectedAt?.toISOString() ?? null,
  lastPushedAt: row.lastPushedAt?.toISOString() ?? null,
  lastResult: row.lastResult,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

const masked = (token: string): string => {
  const chars = [...token];
  return chars.length < SHOWN_FROM_CHARS ? DOTS : DOTS + chars.slice(-SHOWN_CHARS).join('');
};

export function presentPushCredentials(row: PushCredential): PushCredentialsResource {
  const times = { createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() };
  const provider = z.enum(pushProviders).parse(row.provider);
  switch (provider) {
    case 'fcm':
      return {
        provider: 'FCM',
        ...storedPushSettings.fcm.parse(row.settings),
        privateKeySet: true,
        ...times,
      };
    case 'apns':
      return { provider: 'APNS', ...storedPushSettings.apns.parse(row.settings), keyP8Set: true, ...times };
    case 'onesignal':
      return {
        provider: 'ONESIGNAL',
        ...storedPushSettings.onesignal.parse(row.settings),
        apiKeySet: true,
        ...times,
      };
    case 'webpush':
      return {
        provider: 'WEBPUSH',
        ...storedPushSettings.webpush.parse(row.settings),
        privateKeySet: true,
        ...times,
      };
  }
}
