import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Envelope } from '@clarion/protocol/events';

/** How far the moment of signing may be from now: longer ago is a replay, further ahead a wrong clock. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;
const HEADER = 'x-clarion-signature';
const HEX_SHA256 = /^[0-9a-f]{64}$/;

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

export interface WebhookOptions {
  toleranceSeconds?: number;
  now?: Date;
}

/**
 * Checks that a request is Clarion's and returns its event. `secret` is the `whsec_…` text as it was shown, whole.
 * @throws WebhookVerificationError answer 400 then
 */
export function verifyWebhook(
  request: WebhookRequest,
  secret: string,
  options: WebhookOptions = {},
): Envelope {
  const { toleranceSeconds = WEBHOOK_TOLERANCE_SECONDS, now = new Date() } = options;
  const { seconds, signatures } = parseSignature(signatureOf(request.headers));
  if (Math.abs(now.getTime() / 1000 - seconds) > toleranceSeconds)
    throw new WebhookVerificationError(
      'expired',
      'The request was signed too long ago, or a clock is wrong.',
    );

  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(request.body).digest();
  // Every candidate is compared: how long this takes says nothing about which one fits.
  const fits = signatures.map((signature) => timingSafeEqual(expected, Buffer.from(signature, 'hex')));
  if (!fits.includes(true)) throw new WebhookVerificationError('mismatch', 'No signature fits this secret.');
  return parseEvent(request.body);
}

function signatureOf(headers: WebhookHeaders): string {
  const value =
    headers instanceof Headers
      ? headers.get(HEADER)
      : Object.entries(headers).find(([name]) => name.toLowerCase() === HEADER)?.[1];
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError(
      'missing',
      'There is no X-Clarion-Signature header, or there are several.',
    );
  return value;
}

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>]`: two while a secret is being rotated. Unknown parts are left to the future. */
function parseSignature(header: string): { seconds: number; signatures: string[] } {
  const times: string[] = [];
  const signatures: string[] = [];
  for (const part of header.split(',')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === 't' && value !== undefined) times.push(value);
    if (name === 'v1' && value !== undefined && HEX_SHA256.test(value)) signatures.push(value);
  }
  const [time] = times;
  if (times.length !== 1 || time === undefined || !/^\d{1,12}$/.test(time) || signatures.length === 0)
    throw new WebhookVerificationError('malformed', 'The X-Clarion-Signature header cannot be read.');
  return { seconds: Number(time), signatures };
}

function parseEvent(body: string | Uint8Array): Envelope {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Envelope;
  } catch {
    throw new WebhookVerificationError('body', 'The body is signed but is no JSON.');
  }
}
