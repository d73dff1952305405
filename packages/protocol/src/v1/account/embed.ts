/** The web origins whose pages may show the agent phone of the account in a frame and connect agents. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { required, text } from '../fields/fields.ts';

export const ALLOWED_ORIGINS_MAX = 50;
/** A host name has at most 253 characters; scheme and port are added. */
const ORIGIN_MAX_CHARS = 272;
/** URL accepts characters in a host that end a directive (`;`) or a policy (`,`) in the Content-Security-Policy header. */
const HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** `scheme://host[:port]` as browsers serialise it; null if the origin cannot be allowed. */
export function readOrigin(value: string): string | null {
  if (!URL.canParse(value)) return null;
  const { origin, protocol, hostname, pathname, search, hash, username, password } = new URL(value);
  const bare = pathname === '/' && `${search}${hash}${username}${password}` === '' && HOST.test(hostname);
  const trusted = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  return bare && trusted ? origin : null;
}

const origin = text(ORIGIN_MAX_CHARS)
  .refine((value) => readOrigin(value) !== null, {
    error:
      'must be an https origin such as https://app.example.com (http is accepted for loopback addresses only)',
  })
  .transform((value) => readOrigin(value) ?? value);

export const putEmbedSettingsBody = z
  .object({
    allowed_origins: required(z.array(origin).max(ALLOWED_ORIGINS_MAX)).describe(
      'Origins in the form `scheme://host[:port]`, with https, or with http for loopback addresses. The list is replaced as a whole. If it is empty, no page can show the frame.',
    ),
  })
  .transform(({ allowed_origins }) => ({ allowedOrigins: [...new Set(allowed_origins)] }));
export type PutEmbedSettings = z.output<typeof putEmbedSettingsBody>;

export const embedSettingsResource = z.strictObject({ allowedOrigins: z.array(z.string()) });
export type EmbedSettingsResource = z.infer<typeof embedSettingsResource>;

const example = { embedSettings: { allowedOrigins: ['https://app.example.com'] } };
const common = {
  path: '/v1/embed-settings',
  answer: { status: 200, body: z.strictObject({ embedSettings: embedSettingsResource }) },
  errors: [],
  role: 'own',
  oneTenantSession: false,
} as const;

export const embedEndpoints = {
  putEmbedSettings: defineEndpoint({
    ...common,
    method: 'PUT',
    summary:
      "Sets the origins that may embed the agent phone. If any are set, agents can connect only from pages on these origins or on the service's own origin.",
    body: putEmbedSettingsBody,
    example: { body: { allowed_origins: ['https://app.example.com'] }, answer: example },
  }),
  getEmbedSettings: defineEndpoint({
    ...common,
    method: 'GET',
    summary: 'Returns the origins whose pages may show the agent phone in a frame.',
    example: { answer: example },
  }),
};
