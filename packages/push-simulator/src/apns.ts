/** APNs: `POST /3/device/{token}` in production and in the sandbox, with provider tokens. */
import { createPublicKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { objectOf } from './exchange.ts';
import type { Request, Response, Service } from './exchange.ts';
import { Faults } from './faults.ts';
import type { Connections } from './http2-server.ts';
import type { Inboxes } from './inboxes.ts';
import { readJwt } from './jwt.ts';

export interface ApnsKey {
  readonly teamId: string;
  readonly keyId: string;
  /** PEM; a private key will do. */
  readonly key: string;
  /** The apps of the team. */
  readonly bundleIds: readonly string[];
}

interface Device {
  readonly topic: string;
  readonly sandbox: boolean;
  isRegistered: boolean;
}

const TOKEN_BYTES = 32;
const TOKEN_LIFETIME_MS = 3_600_000;
/** How far in the future a provider token may be issued. Apple documents no figure. */
const FUTURE_MS = 60_000;
const VOIP_MAX_BYTES = 5120;
const MAX_BYTES = 4096;
const PATH = /^\/3\/device\/([^/]+)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PUSH_TYPES = new Set([
  'alert',
  'background',
  'voip',
  'complication',
  'fileprovider',
  'mdm',
  'location',
]);

/** A refusal, as Apple's documentation lists them. */
class ApnsError extends Error {
  readonly status: number;
  readonly details: Record<string, unknown>;
  constructor(status: number, reason: string, details: Record<string, unknown> = {}) {
    super(reason);
    this.status = status;
    this.details = details;
  }
}

export class Apns {
  readonly faults = new Faults();
  readonly connections: Connections = { end: null, opened: 0, earlyRequests: 0 };
  /** Added to this machine's clock. */
  clockOffsetMs = 0;
  /** The provider tokens that were accepted, in the order in which they were first seen. */
  readonly providerTokens: string[] = [];
  /** Those that were refused as expired. */
  readonly expiredTokens = new Set<string>();
  readonly #keys = new Map<string, { key: KeyObject; teamId: string; topics: Set<string> }>();
  readonly #devices = new Map<string, Device>();
  readonly #inboxes: Inboxes;

  constructor(keys: readonly ApnsKey[], inboxes: Inboxes) {
    this.#inboxes = inboxes;
    for (const { teamId, keyId, key, bundleIds } of keys) {
      const topics = new Set(bundleIds.flatMap((bundleId) => [bundleId, `${bundleId}.voip`]));
      this.#keys.set(keyId, { key: createPublicKey(key), teamId, topics });
    }
  }

  /** @returns the token that iOS gives to the app */
  addDevice({ bundleId, sandbox = false }: { bundleId: string; sandbox?: boolean }): string {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    this.#devices.set(token, { topic: `${bundleId}.voip`, sandbox, isRegistered: true });
    return token;
  }

  /** The app was deleted from the device, or is there again. */
  setRegistered(token: string, isRegistered: boolean): void {
    const device = this.#devices.get(token);
    if (!device) throw new Error(`no device has the token ${token}`);
    device.isRegistered = isRegistered;
  }

  /** One of the two environments, which share everything but the devices. */
  service(sandbox: boolean): Service {
    return {
      faults: this.faults,
      tokenOf: ({ path }) => PATH.exec(path)?.[1] ?? null,
      handle: (request) => this.#handle(request, sandbox),
    };
  }

  #handle(request: Request, sandbox: boolean): Response {
    const id = request.headers['apns-id'] ?? '';
    try {
      this.#receive(request, sandbox);
      return { status: 200, headers: { 'apns-id': id } };
    } catch (error) {
      if (!(error instanceof ApnsError)) throw error;
      return {
        status: error.status,
        headers: { 'apns-id': id },
        body: { reason: error.message, ...error.details },
      };
    }
  }

  #receive({ method, path, headers, body }: Request, sandbox: boolean): void {
    if (method !== 'POST') throw new ApnsError(405, 'MethodNotAllowed');
    const [, token] = PATH.exec(path) ?? [];
    if (token === undefined) throw new ApnsError(404, 'BadPath');
    const topics = this.#topicsOf(headers['authorization']);
    const topic = headers['apns-topic'];
    if (topic === undefined) throw new ApnsError(400, 'MissingTopic');
    if (!topics.has(topic)) throw new ApnsError(400, 'TopicDisallowed');
    checkHeaders(headers, topic);
    const payload = checkedPayload(body, headers['apns-push-type'] === 'voip' ? VOIP_MAX_BYTES : MAX_BYTES);
    const device = this.#devices.get(token.toLowerCase());
    if (!device || device.sandbox !== sandbox) throw new ApnsError(400, 'BadDeviceToken');
    if (device.topic !== topic) throw new ApnsError(400, 'DeviceTokenNotForTopic');
    if (!device.isRegistered) throw new ApnsError(410, 'Unregistered', { timestamp: Date.now() });
    const { aps: _, ...data } = payload;
    this.#inboxes.add({ provider: 'apns', token, data, headers, body: payload, sandbox });
  }

  #topicsOf(authorization: string | undefined): Set<string> {
    const [, text] = /^bearer (.+)$/i.exec(authorization ?? '') ?? [];
    if (text === undefined) throw new ApnsError(403, 'MissingProviderToken');
    const jwt = readJwt(text, 'ES256');
    const known = this.#keys.get(String(jwt?.header['kid']));
    if (!jwt || !known || jwt.claims['iss'] !== known.teamId)
      throw new ApnsError(403, 'InvalidProviderToken');
    if (!this.providerTokens.includes(text) && !jwt.isSignedBy(known.key))
      throw new ApnsError(403, 'InvalidProviderToken');
    const { iat } = jwt.claims;
    if (typeof iat !== 'number') throw new ApnsError(403, 'InvalidProviderToken');
    const ageMs = Date.now() + this.clockOffsetMs - iat * 1000;
    if (ageMs >= TOKEN_LIFETIME_MS || ageMs < -FUTURE_MS) {
      this.expiredTokens.add(text);
      throw new ApnsError(403, 'ExpiredProviderToken');
    }
    if (!this.providerTokens.includes(text)) this.providerTokens.push(text);
    return known.topics;
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>, topic: string): void {
  const type = headers['apns-push-type'] ?? '';
  if (!PUSH_TYPES.has(type) || (type === 'voip') !== topic.endsWith('.voip'))
    throw new ApnsError(400, 'InvalidPushType');
  if (!/^(1|5|10)$/.test(headers['apns-priority'] ?? '10')) throw new ApnsError(400, 'BadPriority');
  if (!/^\d+$/.test(headers['apns-expiration'] ?? '0')) throw new ApnsError(400, 'BadExpirationDate');
  const id = headers['apns-id'];
  if (id !== undefined && !UUID.test(id)) throw new ApnsError(400, 'BadMessageId');
}

function checkedPayload(body: Buffer, maxBytes: number): Record<string, unknown> {
  if (body.length === 0) throw new ApnsError(400, 'PayloadEmpty');
  if (body.length > maxBytes) throw new ApnsError(413, 'PayloadTooLarge');
  const payload = objectOf(body);
  if (!payload) throw new ApnsError(400, 'PayloadEmpty');
  return payload;
}
