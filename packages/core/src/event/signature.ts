/**
 * Signature headers of outgoing requests: `X-Clarion-Signature` (docs/requirements.md#events) and the Standard Webhooks headers
 * (standardwebhooks.com, 1.0.0), so that existing verification libraries work unchanged.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { signatureHeader } from '@clarion/protocol';
import { webhookKeys } from './webhook-keys.ts';
import type { WebhookKeys } from './webhook-keys.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** After a rotation the previous secret still signs for this long (docs/requirements.md#events). */
export const PREVIOUS_SECRET_MS = 24 * 60 * 60 * 1_000;

/** `whsec_` and base64 of 32 random bytes. */
export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export interface SignedRequest {
  /** The event's UUID, or another ID that stays the same when the request is repeated. */
  id: string;
  /** The exact text of the body. */
  body: string;
  /** The time of this attempt. */
  at: Date;
}

/** Header name → value. `secrets` are those that currently sign, in the form shown to the consumer, the newest first. */
export const signatureHeaders = (request: SignedRequest, secrets: readonly [string, ...string[]]) =>
  signedHeaders(request, secrets.map(webhookKeys));

/** The same with prepared secrets. */
export function signedHeaders(
  { id, body, at }: SignedRequest,
  keys: readonly WebhookKeys[],
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  // Our signature uses the secret's text as the key; Standard Webhooks uses the bytes that the text encodes.
  const ours = keys.map(({ shown }) => `v1=${hmac(shown, `${seconds}.${body}`, 'hex')}`);
  const standard = keys.map(({ encoded }) => `v1,${hmac(encoded, `${id}.${seconds}.${body}`, 'base64')}`);
  return {
    [signatureHeader]: [`t=${seconds}`, ...ours].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  };
}

/** The secrets that sign at `now`, encrypted; empty if the consumer has none. */
export function signingSecrets(
  consumer: {
    webhookSecretSealed: string | null;
    previousSecretSealed: string | null;
    previousSecretUntil: Date | null;
  },
  now: Date,
): string[] {
  const { webhookSecretSealed, previousSecretSealed, previousSecretUntil } = consumer;
  const secrets = webhookSecretSealed === null ? [] : [webhookSecretSealed];
  if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > now)
    secrets.push(previousSecretSealed);
  return secrets;
}

const hmac = (key: KeyObject, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text, 'utf8').digest(encoding);
