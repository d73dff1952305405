/** API keys and signing keys. A secret is returned once, when it is created. */
import { z } from 'zod';
import { shaped } from '../../openapi/input-shape.ts';
import { defineEndpoint } from '../endpoint.ts';
import { id, integer, NAME_MAX_CHARS, orNull, required, text, timestamp } from '../fields/fields.ts';
import { KID, KID_MAX_CHARS } from '../fields/kid.ts';

/** Ten years. */
const EXPIRES_IN_DAYS_MAX = 3650;

export const createApiKeyBody = z
  .object({
    name: required(text(NAME_MAX_CHARS)),
    expires_in_days: orNull(integer(1, EXPIRES_IN_DAYS_MAX)),
  })
  .transform(({ name, expires_in_days }) => ({ name, expiresInDays: expires_in_days }));
export type CreateApiKey = z.output<typeof createApiKeyBody>;

export const apiKeyResource = z.strictObject({
  id,
  name: z.string(),
  /** The beginning of the key: enough to identify it, too short to use it. */
  prefix: z.string(),
  expiresAt: timestamp.nullable(),
  /** To the minute; null if it was never used. */
  lastUsedAt: timestamp.nullable(),
  createdAt: timestamp,
});
export type ApiKeyResource = z.infer<typeof apiKeyResource>;

/** If `kid` is omitted, it is generated. */
export const createSigningKeyBody = z.object({
  kid: orNull(
    shaped(
      text(KID_MAX_CHARS).refine((value) => KID.test(value), {
        error: `must be 1 to ${KID_MAX_CHARS} letters, digits, dots, underscores and hyphens`,
      }),
      { more: { pattern: KID.source } },
    ),
  ),
  name: orNull(text(NAME_MAX_CHARS)),
});
export type CreateSigningKey = z.output<typeof createSigningKeyBody>;

export const signingKeyResource = z.strictObject({
  id,
  kid: z.string(),
  name: z.string().nullable(),
  createdAt: timestamp,
});
export type SigningKeyResource = z.infer<typeof signingKeyResource>;

const apiKeyExample = {
  id: 12,
  name: 'backend 2026',
  prefix: 'ck_acme_Zk3vT9aQ',
  expiresAt: '2027-01-05T09:00:00.000Z',
  lastUsedAt: null,
  createdAt: '2026-01-05T09:00:00.000Z',
};
const signingKeyExample = {
  id: 4,
  kid: 'app-2026',
  name: 'agent tokens',
  createdAt: '2026-01-05T09:00:00.000Z',
};
const secret = z.string();

export const keyEndpoints = {
  createApiKey: defineEndpoint({
    method: 'POST',
    path: '/v1/api-keys',
    summary:
      'Creates an API key. `secret` is the complete key and is shown only once. To rotate keys, create a new key, switch to it, then delete the old one.',
    body: createApiKeyBody,
    answer: { status: 201, body: z.strictObject({ apiKey: apiKeyResource, secret }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    neverReplayed: true,
    example: {
      body: { name: 'backend 2026', expires_in_days: 365 },
      answer: { apiKey: apiKeyExample, secret: 'ck_acme_Zk3vT9aQ0yqVb7m1nJ5uXcR8wEoLhGfDs2iPtKxMzA4' },
    },
  }),
  listApiKeys: defineEndpoint({
    method: 'GET',
    path: '/v1/api-keys',
    summary:
      'Lists all API keys that have not been deleted, including expired ones, oldest first. Secrets are never returned.',
    answer: { status: 200, body: z.strictObject({ apiKeys: z.array(apiKeyResource) }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: { answer: { apiKeys: [{ ...apiKeyExample, lastUsedAt: '2026-01-06T10:15:00.000Z' }] } },
  }),
  deleteApiKey: defineEndpoint({
    method: 'DELETE',
    path: '/v1/api-keys/{apiKeyId}',
    summary:
      'Revokes an API key. It is rejected everywhere within a second. The last valid key cannot be revoked.',
    answer: { status: 204 },
    errors: ['not_found', 'last_key'],
    role: 'own',
    oneTenantSession: false,
    example: { path: { apiKeyId: 12 } },
  }),
  createSigningKey: defineEndpoint({
    method: 'POST',
    path: '/v1/signing-keys',
    summary:
      'Creates a key for signing agent tokens and launch tokens. `secret` is shown only once. A `kid` cannot be reused, even after its key was deleted; if omitted, it is generated.',
    body: createSigningKeyBody,
    answer: { status: 201, body: z.strictObject({ signingKey: signingKeyResource, secret }) },
    errors: ['kid_taken'],
    role: 'own',
    oneTenantSession: false,
    neverReplayed: true,
    example: {
      body: { kid: 'app-2026', name: 'agent tokens' },
      answer: { signingKey: signingKeyExample, secret: 'mB1Vd0sQh8Yf3oZr6uTk9xWcJ2pLgNaEi5yKvRtHb7M' },
    },
  }),
  listSigningKeys: defineEndpoint({
    method: 'GET',
    path: '/v1/signing-keys',
    summary: 'Lists all signing keys that have not been deleted, oldest first. Secrets are never returned.',
    answer: { status: 200, body: z.strictObject({ signingKeys: z.array(signingKeyResource) }) },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: { answer: { signingKeys: [signingKeyExample] } },
  }),
  deleteSigningKey: defineEndpoint({
    method: 'DELETE',
    path: '/v1/signing-keys/{kid}',
    summary:
      'Revokes a signing key. Within a second, tokens signed with it are rejected and agents who connected with one are disconnected. The last key cannot be revoked.',
    answer: { status: 204 },
    errors: ['not_found', 'last_key'],
    role: 'own',
    oneTenantSession: false,
    example: { path: { kid: 'app-2026' } },
  }),
};
