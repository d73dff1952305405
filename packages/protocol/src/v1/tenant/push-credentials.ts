/** The credentials with which push notifications are sent, one set per provider. */
import { z } from 'zod';
import { shaped } from '../../openapi/input-shape.ts';
import type { JsonSchema } from '../../openapi/input-shape.ts';
import { jsonObject, optional, ref, required, text, timestamp } from '../fields/fields.ts';

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
              format: 'uri',
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
