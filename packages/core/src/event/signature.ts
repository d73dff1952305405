/**
 * What proves to a receiver that a request is ours: `X-Clarion-Signature` (spec, Webhook signature) and the Standard
 * Webhooks headers (standardwebhooks.com, 1.0.0), so that the ecosystem's verifiers work as they are.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { signatureHeader } from '@clarion/protocol';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** After a rotation the secret before it still signs for this long (design, section 4). */
export const PREVIOUS_SECRET_MS = 24 * 60 * 60 * 1_000;

/** `whsec_` and base64 of 32 random bytes. */
export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export interface SignedRequest {
  /** The event's UUID, or another id that stays the same when the request is repeated. */
  id: string;
  /** The exact text of the body. */
  body: string;
  /** The moment of this attempt. */
  at: Date;
}

/** Header name → value. `secrets` are those that sign now, the current one first. */
export function signatureHeaders(
  { id, body, at }: SignedRequest,
  secrets: readonly [string, ...string[]],
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  // Ours is keyed with the secret as it is shown; the standard's with the bytes that the shown text encodes.
  const ours = secrets.map((secret) => `v1=${hmac(secret, `${seconds}.${body}`).toString('hex')}`);
  const standard = secrets.map(
    (secret) => `v1,${hmac(secretBytes(secret), `${id}.${seconds}.${body}`).toString('base64')}`,
  );
  return {
    [signatureHeader]: [`t=${seconds}`, ...ours].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  };
}

/** The secrets that sign at `now`, still sealed; empty when the consumer has none. */
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

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest();

const secretBytes = (secret: string) =>
  Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
