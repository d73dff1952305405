/**
 * Cache of decrypted webhook secrets. Decrypting one costs as much as sending an event, and secrets rarely change, so they are kept for a
 * minute.
 */
import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { SecretBox } from '../security/secret-box.ts';

const SECRET_PREFIX = 'whsec_';
const KEPT_MS = 60_000;
const KEPT_MAX = 1_000;

export interface WebhookKeys {
  /** The secret as shown to the consumer. */
  shown: KeyObject;
  /** The bytes that the secret's text encodes: the key of Standard Webhooks. */
  encoded: KeyObject;
}

export function webhookKeys(secret: string): WebhookKeys {
  const base64 = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return {
    shown: createSecretKey(secret, 'utf8'),
    encoded: createSecretKey(Buffer.from(base64, 'base64')),
  };
}

const kept = new WeakMap<SecretBox, Map<string, { keys: WebhookKeys; until: number }>>();

/** Decrypts `sealed` at most once a minute. Throws if the box cannot decrypt it. */
export function openedWebhookKeys(box: SecretBox, sealed: string): WebhookKeys {
  const ofBox = kept.get(box) ?? new Map<string, { keys: WebhookKeys; until: number }>();
  kept.set(box, ofBox);
  const now = performance.now();
  const known = ofBox.get(sealed);
  if (known && known.until > now) return known.keys;
  const keys = webhookKeys(box.open('webhook-secret', sealed));
  if (ofBox.size >= KEPT_MAX) ofBox.clear();
  ofBox.set(sealed, { keys, until: now + KEPT_MS });
  return keys;
}
