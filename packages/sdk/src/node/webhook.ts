/** Whether a request is Clarion's. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from './endpoints.ts';

/** How far the moment of signing may be from now: longer ago is a replay, further ahead a wrong clock. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;
const HEADER = 'x-clarion-signature';
const SECRET_PREFIX = 'whsec_';
const HEX_SHA256 = /^[0-9a-f]{64}$/;
const BASE64_SHA256 = /^[A-Za-z0-9+/]{43}=$/;

export type WebhookRefusal = 'missing' | 'malformed' | 'expired' | 'mismatch' | 'body';

export class WebhookVerificationError extends Error {
  readonly reason: WebhookRefusal;

  constructor(reason: WebhookRefusal, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}

export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface WebhookRequest {
  headers: WebhookHeaders;
  /** The body as it came, before any parsing: a changed byte is another signature. */
  body: string | Uint8Array;
}

/** `whsec_…` as it was shown, whole. Several while you rotate: any of them may have signed. */
export type WebhookSecret = string | readonly string[];

export interface WebhookOptions {
  /** How far the moment of signing may be from now; 5 minutes unless given. */
  toleranceSeconds?: number;
  now?: Date;
}

interface Signed {
  /** Unix seconds, as they were signed. */
  seconds: string;
  /** What `secret` makes of the request. */
  expected(secret: string): Buffer;
  signatures: Buffer[];
}

/**
 * Checks that a request is Clarion's and returns its event: by `X-Clarion-Signature`, or where a proxy kept only those, by the
 * Standard Webhooks headers.
 * @throws WebhookVerificationError answer 400 then
 */
export function verifyWebhook(
  request: WebhookRequest,
  secret: WebhookSecret,
  options: WebhookOptions = {},
): WebhookEvent {
  const secrets = secretsOf(secret);
  const { toleranceSeconds = WEBHOOK_TOLERANCE_SECONDS, now = new Date() } = options;
  const { seconds, expected, signatures } = ours(request) ?? standard(request) ?? refuse('missing');
  if (!/^\d{1,12}$/.test(seconds) || signatures.length === 0) refuse('malformed');
  if (Math.abs(now.getTime() / 1000 - Number(seconds)) > toleranceSeconds) refuse('expired');
  // Every candidate is compared: how long this takes says nothing about which one fits.
  const fits = secrets.flatMap((each) => {
    const wanted = expected(each);
    return signatures.map((signature) => timingSafeEqual(wanted, signature));
  });
  if (!fits.includes(true)) refuse('mismatch');
  return parseEvent(request.body);
}

const complaints = {
  missing: 'There is no X-Clarion-Signature header, or there are several.',
  malformed: 'The signature headers cannot be read.',
  expired: 'The request was signed too long ago, or a clock is wrong.',
  mismatch: 'No signature fits this secret and this body. The body must be the bytes as they came.',
  body: 'The body is signed but is no JSON.',
} as const satisfies Record<WebhookRefusal, string>;

function refuse(reason: WebhookRefusal): never {
  throw new WebhookVerificationError(reason, complaints[reason]);
}

function secretsOf(secret: WebhookSecret): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // An empty key would sign for everybody.
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each.trim() === ''))
    throw new TypeError('The webhook secret is missing.');
  return secrets.map((each) => each.trim());
}

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>]`: two while a secret is being rotated. Unknown parts are left to the future. */
function ours({ headers, body }: WebhookRequest): Signed | null {
  const header = headerOf(headers, HEADER);
  if (header === null) return null;
  const parts = header.split(',').map((part) => part.trim().split('=', 2));
  const valuesOf = (wanted: string) =>
    parts.flatMap(([name, value]) => (name === wanted && value ? [value] : []));
  const [seconds = '', ...others] = valuesOf('t');
  if (others.length > 0) refuse('malformed');
  return {
    seconds,
    expected: (secret) => createHmac('sha256', secret).update(`${seconds}.`).update(body).digest(),
    signatures: valuesOf('v1')
      .filter((value) => HEX_SHA256.test(value))
      .map((value) => Buffer.from(value, 'hex')),
  };
}

/** Standard Webhooks 1.0.0: `webhook-signature: v1,<base64>[ v1,<base64>]`, keyed with the bytes that the secret encodes. */
function standard({ headers, body }: WebhookRequest): Signed | null {
  const id = headerOf(headers, 'webhook-id');
  const seconds = headerOf(headers, 'webhook-timestamp');
  const header = headerOf(headers, 'webhook-signature');
  if (id === null || seconds === null || header === null) return null;
  return {
    seconds,
    expected: (secret) =>
      createHmac('sha256', Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64'))
        .update(`${id}.${seconds}.`)
        .update(body)
        .digest(),
    signatures: header
      .split(' ')
      .map((part) => part.split(',', 2))
      .filter(([version, value = '']) => version === 'v1' && BASE64_SHA256.test(value))
      .map(([, value = '']) => Buffer.from(value, 'base64')),
  };
}

function headerOf(headers: WebhookHeaders, wanted: string): string | null {
  const value =
    headers instanceof Headers
      ? headers.get(wanted)
      : Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (Array.isArray(value)) return refuse('missing');
  return value === undefined || value === '' ? null : value;
}

function parseEvent(body: string | Uint8Array): WebhookEvent {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    return refuse('body');
  }
}

/**
 * Whether an event tells of a later state of its call than one you have: events come at least once and in any order, and each
 * carries the whole call, so keep the latest.
 */
export function isLater(event: Moment, known: Moment): boolean {
  if (event.sequence !== null && known.sequence !== null) return event.sequence > known.sequence;
  return Date.parse(event.occurred_at) > Date.parse(known.occurred_at);
}
type Moment = Pick<WebhookEvent, 'sequence' | 'occurred_at'>;
