/** Verifies the signature of webhook requests. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from './endpoints.ts';

/** How far the time of signing may be from now. An older request may be a replay, and a later one means a wrong clock. */
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
  /** The raw body, before any parsing: any changed byte invalidates the signature. */
  body: string | Uint8Array;
}

/** The complete `whsec_…` secret. Pass several during a rotation; any of them may match. */
export type WebhookSecret = string | readonly string[];

export interface WebhookOptions {
  /** How far the time of signing may be from now; 5 minutes by default. */
  toleranceSeconds?: number;
  now?: Date;
}

interface Signed {
  /** The signed time, in Unix seconds. */
  seconds: string;
  /** Calculates the signature of the request with `secret`. */
  expected(secret: string): Buffer;
  signatures: Buffer[];
}

/**
 * Verifies that a request comes from Clarion and returns its event. It checks `X-Clarion-Signature`, or the Standard Webhooks headers
 * if that header is missing.
 * @throws WebhookVerificationError respond with 400
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
  // Compare every candidate, so that the duration does not reveal which one matches.
  const fits = secrets.flatMap((each) => {
    const wanted = expected(each);
    return signatures.map((signature) => timingSafeEqual(wanted, signature));
  });
  if (!fits.includes(true)) refuse('mismatch');
  return parseEvent(request.body);
}

const complaints = {
  missing: 'There is no X-Clarion-Signature header, or there are several.',
  malformed: 'The signature headers are malformed.',
  expired: 'The signature is too old or too far in the future. Check the clock of this machine.',
  mismatch: 'No signature matches this secret and this body. The body must be the raw bytes of the request.',
  body: 'The signed body is not valid JSON.',
} as const satisfies Record<WebhookRefusal, string>;

function refuse(reason: WebhookRefusal): never {
  throw new WebhookVerificationError(reason, complaints[reason]);
}

function secretsOf(secret: WebhookSecret): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  // Anyone can sign with an empty key.
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each.trim() === ''))
    throw new TypeError('The webhook secret is missing.');
  return secrets.map((each) => each.trim());
}

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, with two signatures during a rotation. Unknown parts are ignored. */
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
 * Whether an event contains a later state of its call than a known event. Events are delivered at least once and in any order, and
 * each contains the whole call, so keep the latest.
 */
export function isLater(event: Moment, known: Moment): boolean {
  if (event.sequence !== null && known.sequence !== null) return event.sequence > known.sequence;
  return Date.parse(event.occurred_at) > Date.parse(known.occurred_at);
}
type Moment = Pick<WebhookEvent, 'sequence' | 'occurred_at'>;
