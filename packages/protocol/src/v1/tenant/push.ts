/**
 * Push notifications to a consumer's apps: the credentials for sending them (one per provider), and the push tokens (one per device and
 * provider).
 */
import { z } from 'zod';
import { shaped } from '../../openapi/input-shape.ts';
import type { JsonSchema } from '../../openapi/input-shape.ts';
import { defineEndpoint } from '../endpoint.ts';
import { jsonObject, optional, ref, required, text, timestamp, enumField } from '../fields/fields.ts';

export const pushPlatforms = ['ANDROID', 'IOS', 'WEB'] as const;
/** APNS_VOIP is Apple's VoIP push (PushKit). WEB_PUSH is the Push API of browsers. */
export const pushTokenProviders = ['FCM', 'APNS_VOIP', 'ONESIGNAL', 'WEB_PUSH'] as const;
/** FCM specifies no length; its tokens have a few hundred characters, and Apple's have 64 to 200. */
const TOKEN_MAX_CHARS = 4096;
/** A PEM of a 4096-bit RSA key is about 3,300 characters. */
const KEY_MAX_CHARS = 16_384;
/** Apple's key IDs and team IDs. */
const APPLE_ID = /^[A-Za-z0-9]{10}$/;
/** Apple: letters, digits, hyphens and dots. */
const BUNDLE_ID = /^[A-Za-z0-9.-]{1,155}$/;
/** Google: letters, digits and hyphens; old IDs contain a domain and a colon. */
const PROJECT_ID = /^[A-Za-z0-9.:_-]{1,128}$/;
const EMAIL = /^[^\s@]{1,256}@[^\s@]{1,256}$/;
const API_KEY_MAX_CHARS = 512;
/** Where a service account's file says that access tokens are issued, unless it names another address. */
export const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';
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
      "The device token that the provider issued to the app; with WEB_PUSH the browser's PushSubscription as JSON text.",
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
      'When the provider said that the token is no longer valid. It does not count until the next PUT.',
    ),
  lastPushedAt: timestamp.nullable().describe('When the last push notification to the token had a result.'),
  lastResult: z.string().nullable().describe("What that was: SENT or the provider's reason."),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type PushTokenResource = z.infer<typeof pushTokenResource>;

const matching = (pattern: RegExp, error: string) =>
  text(KEY_MAX_CHARS).refine((value) => pattern.test(value), { error });

/** The service account JSON from Google, of which four fields are kept. */
const fcmBody = z
  .object({
    service_account: required(
      jsonObject.pipe(
        z.object({
          type: required(z.literal('service_account')),
          project_id: required(matching(PROJECT_ID, 'must be a Google Cloud project ID')),
          client_email: required(matching(EMAIL, 'must be an email address')),
          private_key: required(text(KEY_MAX_CHARS)),
          token_uri: optional(z.url({ protocol: /^https?$/ }).max(URL_MAX_CHARS)),
        }),
      ),
    ),
  })
  .transform(({ service_account: account }) => ({
    settings: {
      projectId: account.project_id,
      clientEmail: account.client_email,
      tokenUri: account.token_uri ?? GOOGLE_TOKEN_URI,
    },
    secret: account.private_key,
  }));

const apnsBody = z
  .object({
    key_p8: required(text(KEY_MAX_CHARS)),
    key_id: required(matching(APPLE_ID, 'must be 10 letters and digits')),
    team_id: required(matching(APPLE_ID, 'must be 10 letters and digits')),
    bundle_id: required(matching(BUNDLE_ID, 'must contain only letters, digits, hyphens and dots')),
    sandbox: optional(z.boolean()),
  })
  .transform((body) => ({
    settings: {
      keyId: body.key_id,
      teamId: body.team_id,
      bundleId: body.bundle_id,
      sandbox: body.sandbox ?? false,
    },
    secret: body.key_p8,
  }));

const oneSignalBody = z
  .object({
    app_id: required(z.string().trim().toLowerCase().pipe(z.uuid())),
    api_key: required(text(API_KEY_MAX_CHARS)),
  })
  .transform((body) => ({ settings: { appId: body.app_id }, secret: body.api_key }));

/** RFC 8292: whom the browsers' push services contact about problems. */
const webPushBody = z
  .object({
    subject: required(
      matching(/^(mailto:[^\s@]{1,256}@[^\s@]{1,256}|https:\/\/\S+)$/, 'must be a mailto: or https: URL'),
    ),
  })
  .transform(({ subject }) => ({ settings: { subject }, secret: null }));

/**
 * The body of a PUT depends on the provider in the path. Each returns the public settings and the secret; null: the service generates a
 * key once and keeps it.
 */
export const pushCredentialBodies = {
  fcm: fcmBody,
  apns: apnsBody,
  onesignal: oneSignalBody,
  webpush: webPushBody,
} as const;

const shapeOf = (properties: Record<string, JsonSchema>, optionalFields: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optionalFields.includes(name)),
});
const appleIdShape: JsonSchema = { type: 'string', pattern: APPLE_ID.source };
const textShape: JsonSchema = { type: 'string', pattern: '\\S' };

/** Accepts any object: the provider in the path determines which of the bodies it must be. */
export const putPushCredentialsBody = shaped(
  z.preprocess<
    unknown,
    z.ZodObject<Record<never, never>, z.core.$loose>,
    z.input<typeof fcmBody | typeof apnsBody | typeof oneSignalBody | typeof webPushBody>
  >((value) => value, z.looseObject({})),
  {
    is: {
      anyOf: [
        {
          title: 'fcm',
          ...shapeOf({
            service_account: {
              ...shapeOf(
                {
                  type: { const: 'service_account', description: 'As in the file.' },
                  project_id: { ...textShape, description: 'The ID of the Google Cloud project.' },
                  client_email: { ...textShape, description: 'The email address of the service account.' },
                  private_key: { ...textShape, description: 'An RSA private key in PEM format.' },
                  token_uri: {
                    type: 'string',
                    format: 'uri',
                    default: GOOGLE_TOKEN_URI,
                    description: 'Where access tokens are issued.',
                  },
                },
                ['token_uri'],
              ),
              description: 'The service account JSON from Google. Other fields are ignored.',
            },
          }),
        },
        {
          title: 'apns',
          ...shapeOf(
            {
              key_p8: { ...textShape, description: "The contents of Apple's .p8 file." },
              key_id: { ...appleIdShape, description: 'The ID of the key: 10 letters and digits.' },
              team_id: { ...appleIdShape, description: 'The ID of the team: 10 letters and digits.' },
              bundle_id: {
                type: 'string',
                pattern: BUNDLE_ID.source,
                description: 'The bundle ID of the app.',
              },
              sandbox: {
                type: 'boolean',
                default: false,
                description: 'Whether push notifications are sent to development builds of the app.',
              },
            },
            ['sandbox'],
          ),
        },
        {
          title: 'onesignal',
          ...shapeOf({
            app_id: { type: 'string', format: 'uuid', description: 'The ID of the OneSignal app.' },
            api_key: { ...textShape, description: 'A REST API key of the OneSignal app.' },
          }),
        },
        {
          title: 'webpush',
          ...shapeOf({
            subject: {
              type: 'string',
              pattern: '^(mailto:|https://)',
              description:
                "Whom the browsers' push services contact about problems: a mailto: or https: URL.",
            },
          }),
        },
      ],
    },
  },
);
export type PutPushCredentials = z.output<typeof putPushCredentialsBody>;

/** The stored settings, by provider. */
export const storedPushSettings = {
  fcm: z.object({
    projectId: z.string(),
    clientEmail: z.string(),
    tokenUri: z.string().default(GOOGLE_TOKEN_URI),
  }),
  apns: z.object({ keyId: z.string(), teamId: z.string(), bundleId: z.string(), sandbox: z.boolean() }),
  onesignal: z.object({ appId: z.string() }),
  webpush: z.object({
    subject: z.string(),
    publicKey: z
      .string()
      .describe('The VAPID key that a browser subscribes with (applicationServerKey), in base64url.'),
  }),
} as const;

const times = { createdAt: timestamp, updatedAt: timestamp };
/** Secrets are never returned, only whether they are set. */
export const pushCredentialsResource = z.discriminatedUnion('provider', [
  z.strictObject({
    provider: z.literal('FCM'),
    ...storedPushSettings.fcm.shape,
    privateKeySet: z.literal(true),
    ...times,
  }),
  z.strictObject({
    provider: z.literal('APNS'),
    ...storedPushSettings.apns.shape,
    keyP8Set: z.literal(true),
    ...times,
  }),
  z.strictObject({
    provider: z.literal('ONESIGNAL'),
    ...storedPushSettings.onesignal.shape,
    apiKeySet: z.literal(true),
    ...times,
  }),
  z.strictObject({
    provider: z.literal('WEBPUSH'),
    ...storedPushSettings.webpush.shape,
    privateKeySet: z.literal(true),
    ...times,
  }),
]);
export type PushCredentialsResource = z.infer<typeof pushCredentialsResource>;

/** Test pushes of an account per minute: each is a request to the provider. */
export const TEST_PUSHES_PER_MINUTE = 20;

/** A device of an agent, which every provider but apns needs. */
export const testPushBody = z.object({
  tenant_ref: optional(ref).describe('The tenant of the agent. Required unless the provider is apns.'),
  agent_ref: optional(ref).describe(
    'The agent whose device receives it. Required unless the provider is apns.',
  ),
  device_id: optional(ref).describe(
    'The device, which must have a push token of the provider. Required unless the provider is apns.',
  ),
});
export type TestPush = z.output<typeof testPushBody>;

export const testPushOutcomes = ['SENT', 'REJECTED', 'RETRY', 'FAILED'] as const;
export const testPushResource = z.strictObject({
  outcome: z
    .enum(testPushOutcomes)
    .describe(
      'SENT: the provider has accepted it. REJECTED: the token is no longer valid. RETRY: the provider is busy or was not reached. FAILED: it will not succeed as it is.',
    ),
  httpStatus: z.number().int().nullable().describe("The status of the provider's response; null: none."),
  reason: z.string().nullable().describe("The provider's own code where it gives one."),
  message: z.string().describe('What that means and what to do next.'),
});
export type TestPushResource = z.infer<typeof testPushResource>;

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
      'Registers a push token for an agent: one token per device and provider. Use the deviceId with which the app connects. A token belongs to one agent at a time; the latest PUT moves it to its agent. An agent has at most 20 devices: another one replaces the device that registered the longest ago.',
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
            'The app was removed from the device, or its token has expired. It counts again when the app registers its token again.',
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
