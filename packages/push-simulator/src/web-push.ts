/** A browser's push service (RFC 8030) with VAPID (RFC 8292) and the browsers behind it, which decrypt the messages (RFC 8291). */
import { createPublicKey, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isObject, parseJson } from './exchange.ts';
import type { Request, Response, Service } from './exchange.ts';
import { Faults } from './faults.ts';
import type { Http1Connections } from './http1-server.ts';
import type { Inboxes } from './inboxes.ts';
import { readJwt } from './jwt.ts';
import { createBrowserKeys } from './web-push-crypto.ts';
import type { BrowserKeys } from './web-push-crypto.ts';

/** As `JSON.stringify(subscription)` writes it in a browser. */
export interface Subscription {
  readonly endpoint: string;
  readonly expirationTime: null;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

interface Browser {
  readonly keys: BrowserKeys;
  readonly applicationServerKey: string;
  isSubscribed: boolean;
}

const PATH = /^\/push\/([^/]+)$/;
const MAX_BODY_BYTES = 4096;
const MAX_VAPID_SECONDS = 24 * 3600;
const URGENCIES = new Set(['very-low', 'low', 'normal', 'high']);
const TOPIC = /^[\w-]{1,32}$/;
const POINT_BYTES = 65;
const COORDINATE_BYTES = 32;

const refusal = (status: number, reason: string): Response => ({ status, body: { reason } });

export class WebPush implements Service {
  readonly faults = new Faults();
  readonly connections: Http1Connections = { mostOpen: 0 };
  /** Set when the server listens. */
  url = '';
  readonly #browsers = new Map<string, Browser>();
  readonly #inboxes: Inboxes;

  constructor(inboxes: Inboxes) {
    this.#inboxes = inboxes;
  }

  /** @param applicationServerKey the public VAPID key in base64url @returns what the browser gives to the page */
  subscribe(applicationServerKey: string): Subscription {
    const id = randomUUID();
    const keys = createBrowserKeys();
    this.#browsers.set(id, { keys, applicationServerKey, isSubscribed: true });
    return {
      endpoint: `${this.url}/push/${id}`,
      expirationTime: null,
      keys: { p256dh: keys.p256dh, auth: keys.auth },
    };
  }

  /** The user has withdrawn the permission. */
  unsubscribe({ endpoint }: Subscription): void {
    const browser = this.#browsers.get(PATH.exec(new URL(endpoint).pathname)?.[1] ?? '');
    if (!browser) throw new Error(`there is no subscription ${endpoint}`);
    browser.isSubscribed = false;
  }

  tokenOf({ path }: Request): string {
    return `${this.url}${path}`;
  }

  handle({ method, path, headers, body }: Request): Response {
    const id = PATH.exec(path)?.[1] ?? '';
    const browser = this.#browsers.get(id);
    if (method !== 'POST' || !browser) return refusal(404, 'NotFound');
    if (!browser.isSubscribed) return refusal(410, 'ExpiredSubscription');
    const refused = this.#vapidProblem(headers['authorization'], browser) ?? headerProblem(headers);
    if (refused) return refused;
    if (body.length > MAX_BODY_BYTES) return refusal(413, 'PayloadTooLarge');
    let text: string;
    try {
      text = browser.keys.decrypt(body);
    } catch {
      return refusal(400, 'NotDecryptable'); // a real push service cannot know; the browser would drop it
    }
    const data = parseJson(text);
    this.#inboxes.add({
      provider: 'webpush',
      token: `${this.url}${path}`,
      data: isObject(data) ? data : {},
      headers,
      body: text,
    });
    return { status: 201, headers: { location: `${this.url}/message/${randomUUID()}` } };
  }

  #vapidProblem(authorization: string | undefined, browser: Browser): Response | null {
    const [, t, k] = /^vapid t=([^,\s]+),\s*k=([^,\s]+)$/i.exec(authorization ?? '') ?? [];
    if (t === undefined || k === undefined) return refusal(401, 'MissingVapid');
    if (k !== browser.applicationServerKey) return refusal(403, 'VapidPkHashMismatch');
    const jwt = readJwt(t, 'ES256');
    const key = publicKeyOf(k);
    if (!jwt || !key || !jwt.isSignedBy(key)) return refusal(403, 'BadJwtToken');
    const { aud, exp, sub } = jwt.claims;
    const now = Date.now() / 1000;
    if (aud !== this.url) return refusal(403, 'BadJwtToken');
    if (typeof exp !== 'number' || exp <= now || exp > now + MAX_VAPID_SECONDS)
      return refusal(403, 'ExpiredJwtToken');
    return /^(mailto:|https:)/.test(String(sub)) ? null : refusal(403, 'BadJwtToken');
  }
}

function headerProblem(headers: Readonly<Record<string, string>>): Response | null {
  if (!/^\d+$/.test(headers['ttl'] ?? '')) return refusal(400, 'BadTtl');
  if (headers['content-encoding'] !== 'aes128gcm') return refusal(400, 'BadContentEncoding');
  if (headers['urgency'] !== undefined && !URGENCIES.has(headers['urgency']))
    return refusal(400, 'BadUrgency');
  if (headers['topic'] !== undefined && !TOPIC.test(headers['topic'])) return refusal(400, 'BadTopic');
  return null;
}

/** Null: not an uncompressed P-256 point. */
function publicKeyOf(base64url: string): KeyObject | null {
  const point = Buffer.from(base64url, 'base64url');
  if (point.length !== POINT_BYTES) return null;
  const coordinate = (index: number) =>
    point.subarray(1 + index * COORDINATE_BYTES, 1 + (index + 1) * COORDINATE_BYTES).toString('base64url');
  try {
    const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(0), y: coordinate(1) };
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}
