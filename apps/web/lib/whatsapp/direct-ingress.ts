/**
 * Direct WhatsApp ingress: the operator sets `/webhooks/whatsapp` as the webhook of the platform's app. A GET verifies the URL; a
 * POST is signed with the app's secret over its raw bytes. Responses are bare statuses (docs/requirements.md#errors), except 404
 * not_enabled if the two settings are missing.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { acceptWhatsAppWebhook } from '@clarion/core/whatsapp/accept-webhook';
import { ApiError } from '@clarion/protocol';
import { MAX_BODY_BYTES } from '@clarion/protocol/v1/endpoint';
import { decodeUtf8, parseJson, readBytes } from '../api/body.ts';
import { json } from '../api/problem.ts';
import { runtime } from '../api/runtime.ts';

/** The platform sends ten digits. */
const CHALLENGE_MAX_CHARS = 256;

const bare = (status: number) => new Response(null, { status, headers: { 'cache-control': 'no-store' } });

function settings() {
  const { CLARION_WHATSAPP_APP_SECRET: appSecret, CLARION_WHATSAPP_VERIFY_TOKEN: verifyToken } =
    runtime().env;
  return appSecret && verifyToken ? { appSecret, verifyToken } : null;
}

function notEnabled(): Response {
  const error = new ApiError('not_enabled');
  return json(error.status, JSON.stringify(error.toBody()));
}

/** Responds to `hub.mode=subscribe` with our token with the challenge; anything else is 403. */
export async function verifySubscription(request: Request): Promise<Response> {
  const enabled = settings();
  if (!enabled) return notEnabled();
  const { searchParams } = new URL(request.url);
  const challenge = searchParams.get('hub.challenge') ?? '';
  const known =
    searchParams.get('hub.mode') === 'subscribe' &&
    isSame(searchParams.get('hub.verify_token') ?? '', enabled.verifyToken);
  if (!known || challenge === '' || challenge.length > CHALLENGE_MAX_CHARS) return bare(403);
  return new Response(challenge, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** 200 when the events of our lines are stored; 401 without a valid signature; 400, 413; the platform retries after a 500. */
export async function receiveWebhook(request: Request): Promise<Response> {
  const enabled = settings();
  if (!enabled) return notEnabled();
  const { db, log, now } = runtime();
  try {
    const bytes = await readBytes(request, MAX_BODY_BYTES);
    if (!isSigned(bytes, request.headers.get('x-hub-signature-256'), enabled.appSecret)) return bare(401);
    const stored = await acceptWhatsAppWebhook({ db, now: now() }, parseJson(decodeUtf8(bytes)), null);
    if (stored > 0) log.info({ stored }, 'WhatsApp call events received');
    return bare(200);
  } catch (err) {
    if (err instanceof ApiError) return bare(err.status);
    log.error({ err }, 'failed to store a WhatsApp webhook');
    return bare(500);
  }
}

/** `sha256=<hex HMAC-SHA256 of the raw body, keyed with the app's secret>`. */
function isSigned(bytes: Buffer, header: string | null, appSecret: string): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '')?.[1];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', appSecret).update(bytes).digest());
}

/** In constant time, which reveals neither where two texts differ nor their lengths. */
const isSame = (a: string, b: string) => timingSafeEqual(sha256(a), sha256(b));
const sha256 = (text: string) => createHash('sha256').update(text).digest();
