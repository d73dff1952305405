/** The endpoints of push notifications, and the push tokens: one per device and provider. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { enumField, required, text, timestamp } from '../fields/fields.ts';
import {
  pushCredentialsResource,
  putPushCredentialsBody,
  TEST_PUSHES_PER_MINUTE,
  testPushBody,
  testPushResource,
} from './push-credentials.ts';

export const pushPlatforms = ['ANDROID', 'IOS', 'WEB'] as const;
/** APNS_VOIP is Apple's VoIP push (PushKit). WEB_PUSH is the Push API of browsers. */
export const pushTokenProviders = ['FCM', 'APNS_VOIP', 'ONESIGNAL', 'WEB_PUSH'] as const;
/** FCM specifies no length; its tokens have a few hundred characters, and Apple's have 64 to 200. */
const TOKEN_MAX_CHARS = 4096;
const URL_MAX_CHARS = 2048;
/** RFC 8291: an uncompressed P-256 point (65 bytes) and 16 bytes, in base64url. */
const P256DH = /^[A-Za-z0-9_-]{87}=?$/;
const AUTH_SECRET = /^[A-Za-z0-9_-]{22}={0,2}$/;

/** A browser's PushSubscription, as `JSON.stringify(subscription)` writes it. */
export const webPushSubscription = z.object({
  endpoint: z.url({ protocol: /^https?$/ }).max(URL_MAX_CHARS),
  keys: z.object({ p256dh: z.string().regex(P256DH), auth: z.string().regex(AUTH_SECRET) }),
});
export type WebPushSubscription = z.infer<typeof webPushSubscription>;

/** @returns null if it is not a subscription */
export function readWebPushSubscription(token: string): WebPushSubscription | null {
  try {
    return webPushSubscription.safeParse(JSON.parse(token)).data ?? null;
  } catch {
    return null;
  }
}

export const putPushTokenBody = z
  .object({
    platform: required(enumField(pushPlatforms)).describe('The platform of the device.'),
    provider: required(enumField(pushTokenProviders)).describe(
      'The provider that issued the token. APNS_VOIP, the call push, is for IOS only; WEB_PUSH is for WEB only.',
    ),
    token: required(text(TOKEN_MAX_CHARS)).describe(
      "The device token that the provider issued to the app. For WEB_PUSH, the browser's PushSubscription as JSON text.",
    ),
  })
  .refine(({ platform, provider }) => provider !== 'APNS_VOIP' || platform === 'IOS', {
    path: ['provider'],
    error: 'can be APNS_VOIP only if platform is IOS',
  })
  .refine(({ platform, provider }) => provider !== 'WEB_PUSH' || platform === 'WEB', {
    path: ['provider'],
    error: 'can be WEB_PUSH only if platform is WEB',
  })
  .refine(({ provider, token }) => provider !== 'WEB_PUSH' || readWebPushSubscription(token) !== null, {
    path: ['token'],
    error: "must be a browser's PushSubscription as JSON text",
  });
export type PutPushToken = z.output<typeof putPushTokenBody>;

export const pushTokenResource = z.strictObject({
  deviceId: z.string(),
  platform: z.enum(pushPlatforms),
  provider: z.enum(pushTokenProviders),
  token: z.string().describe('The masked token: dots and its last four characters.'),
  rejectedAt: timestamp
    .nullable()
    .describe(
      'When the provider reported that the token is no longer valid. The token is not used until the next PUT.',
    ),
  lastPushedAt: timestamp.nullable().describe('When the last push notification to the token had a result.'),
  lastResult: z
    .string()
    .nullable()
    .describe("The result of the last push notification: SENT, or the provider's reason."),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type PushTokenResource = z.infer<typeof pushTokenResource>;

const at = '2026-01-05T09:00:00.000Z';
const tokenExample = {
  deviceId: 'pixel-8-ada',
  platform: 'ANDROID',
  provider: 'FCM',
  token: '••••x4Rk',
  rejectedAt: null,
  lastPushedAt: at,
  lastResult: 'SENT',
  createdAt: at,
  updatedAt: at,
};
const credentialsExample = {
  provider: 'APNS',
  keyId: '9ABC123DEF',
  teamId: 'TEAM123456',
  bundleId: 'com.example.helpdesk',
  sandbox: false,
  keyP8Set: true,
  createdAt: at,
  updatedAt: at,
};
const oneToken = z.strictObject({ pushToken: pushTokenResource });
const tokensPath = '/v1/tenants/{tenantRef}/agents/{agentRef}/push-tokens';
const tokenPath = '/v1/tenants/{tenantRef}/agents/{agentRef}/push-tokens/{deviceId}';
const agentExample = { tenantRef: 'acme', agentRef: 'ada' };
const deviceExample = { ...agentExample, deviceId: 'pixel-8-ada' };

const oneCredentials = z.strictObject({ pushCredentials: pushCredentialsResource });
const credentialsPath = '/v1/push-credentials/{provider}';

export const pushEndpoints = {
  putPushToken: defineEndpoint({
    method: 'PUT',
    path: tokenPath,
    summary:
      'Registers a push token for an agent: one token per device and provider. Use the deviceId with which the app connects. A token belongs to one agent at a time; the latest PUT moves it to its agent. An agent can have up to 20 devices; registering another one removes the device that registered longest ago.',
    body: putPushTokenBody,
    answer: { status: 200, body: oneToken },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: deviceExample,
      body: { platform: 'ANDROID', provider: 'FCM', token: 'fGk2hYqTQ0a9…x4Rk' },
      answer: { pushToken: tokenExample },
    },
  }),
  listPushTokens: defineEndpoint({
    method: 'GET',
    path: tokensPath,
    summary: "Lists an agent's push tokens, masked, oldest first.",
    answer: { status: 200, body: z.strictObject({ pushTokens: z.array(pushTokenResource) }) },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: agentExample, answer: { pushTokens: [tokenExample] } },
  }),
  deletePushToken: defineEndpoint({
    method: 'DELETE',
    path: tokenPath,
    summary: 'Deletes all push tokens of a device. Call it when the user signs out.',
    answer: { status: 204 },
    errors: ['not_found'],
    role: 'manage',
    oneTenantSession: true,
    example: { path: deviceExample },
  }),
  putPushCredentials: defineEndpoint({
    method: 'PUT',
    path: credentialsPath,
    summary:
      'Sets the credentials for sending push notifications to your apps. The body is { service_account } for fcm, { key_p8, key_id, team_id, bundle_id, sandbox? } for apns, { app_id, api_key } for onesignal, and { subject } for webpush, whose key the service generates. Keys are validated, encrypted at rest and never returned.',
    body: putPushCredentialsBody,
    answer: { status: 200, body: oneCredentials },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: { provider: 'apns' },
      body: {
        key_p8: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
        key_id: '9ABC123DEF',
        team_id: 'TEAM123456',
        bundle_id: 'com.example.helpdesk',
      },
      answer: { pushCredentials: credentialsExample },
    },
  }),
  getPushCredentials: defineEndpoint({
    method: 'GET',
    path: credentialsPath,
    summary: 'Returns the push credentials of a provider, without the secret.',
    answer: { status: 200, body: oneCredentials },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: { provider: 'apns' }, answer: { pushCredentials: credentialsExample } },
  }),
  listPushCredentials: defineEndpoint({
    method: 'GET',
    path: '/v1/push-credentials',
    summary: 'Lists the push credentials of all providers, without the secrets.',
    answer: { status: 200, body: z.strictObject({ pushCredentials: z.array(pushCredentialsResource) }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: { answer: { pushCredentials: [credentialsExample] } },
  }),
  testPushCredentials: defineEndpoint({
    method: 'POST',
    path: `${credentialsPath}/test`,
    summary: `Sends a test push immediately and returns the provider's response. With apns, it checks the credentials without notifying a device; the other providers need a registered device. At most ${TEST_PUSHES_PER_MINUTE} per minute and account.`,
    body: testPushBody,
    answer: { status: 200, body: z.strictObject({ result: testPushResource }) },
    errors: ['not_found', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'own',
    oneTenantSession: false,
    example: {
      path: { provider: 'fcm' },
      body: { tenant_ref: 'acme', agent_ref: 'ada', device_id: 'pixel-8-ada' },
      answer: {
        result: {
          outcome: 'REJECTED',
          httpStatus: 404,
          reason: 'UNREGISTERED',
          message:
            'The app was removed from the device, or its token has expired. It can ring again once the app registers a new token.',
        },
      },
    },
  }),
  deletePushCredentials: defineEndpoint({
    method: 'DELETE',
    path: credentialsPath,
    summary: 'Deletes the push credentials of a provider. Push notifications are no longer sent through it.',
    answer: { status: 204 },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: { path: { provider: 'apns' } },
  }),
};
