/** FCM's HTTP v1 API: `POST /v1/projects/{project}/messages:send`. */
import { randomBytes } from 'node:crypto';
import { isObject, objectOf } from './exchange.ts';
import type { Request, Response, Service } from './exchange.ts';
import { Faults } from './faults.ts';
import type { GoogleOauth } from './google-oauth.ts';
import type { Connections } from './http2-server.ts';
import type { Inboxes } from './inboxes.ts';

const PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/;
const TOKEN = /^[\w:-]{20,}$/;
const RESERVED_KEY = /^(from|message_type|google.*|gcm.*)$/;
const DURATION = /^\d+(\.\d{1,9})?s$/;
const MAX_DATA_BYTES = 4096;
const TOKEN_BYTES = 100;

class FcmError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly object[];
  constructor(status: number, code: string, message: string, details: readonly object[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

const fcmCode = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
});
const invalid = (field: string, description: string) =>
  new FcmError(400, 'INVALID_ARGUMENT', description, [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
    fcmCode('INVALID_ARGUMENT'),
  ]);

export class Fcm implements Service {
  readonly faults = new Faults();
  readonly connections: Connections = { end: null, opened: 0, earlyRequests: 0 };
  readonly #devices = new Map<string, { projectId: string; isRegistered: boolean }>();
  readonly #oauth: GoogleOauth;
  readonly #inboxes: Inboxes;

  constructor(oauth: GoogleOauth, inboxes: Inboxes) {
    this.#oauth = oauth;
    this.#inboxes = inboxes;
  }

  /** @returns the registration token that Firebase gives to the app */
  addDevice(projectId: string): string {
    const token = `${randomBytes(12).toString('base64url')}:APA91b${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    this.#devices.set(token, { projectId, isRegistered: true });
    return token;
  }

  /** The app was deleted from the device, or is there again. */
  setRegistered(token: string, isRegistered: boolean): void {
    const device = this.#devices.get(token);
    if (!device) throw new Error(`no device has the token ${token}`);
    device.isRegistered = isRegistered;
  }

  tokenOf({ body }: Request): string | null {
    const message = objectOf(body)?.['message'];
    return isObject(message) && typeof message['token'] === 'string' ? message['token'] : null;
  }

  handle(request: Request): Response {
    try {
      return { status: 200, body: { name: this.#receive(request) } };
    } catch (error) {
      if (!(error instanceof FcmError)) throw error;
      const { status, code, message, details } = error;
      return { status, body: { error: { code: status, message, status: code, details } } };
    }
  }

  #receive({ method, path, headers, body }: Request): string {
    const [, projectId] = PATH.exec(path) ?? [];
    if (method !== 'POST' || projectId === undefined)
      throw new FcmError(404, 'NOT_FOUND', 'The requested URL was not found on this server.');
    const [, access = ''] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
    const accessProject = this.#oauth.projectOf(access);
    if (accessProject === null)
      throw new FcmError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    if (accessProject !== projectId)
      throw new FcmError(403, 'PERMISSION_DENIED', `Permission denied on project ${projectId}.`);
    const message = objectOf(body)?.['message'];
    if (!isObject(message)) throw invalid('message', 'The message is required.');
    const data = checkedData(message['data']);
    checkOptions(message);
    const { token } = message;
    if (typeof token !== 'string' || !TOKEN.test(token))
      throw invalid('message.token', 'The registration token is not a valid FCM registration token');
    const device = this.#devices.get(token);
    if (!device?.isRegistered)
      throw new FcmError(404, 'NOT_FOUND', 'Requested entity was not found.', [fcmCode('UNREGISTERED')]);
    if (device.projectId !== projectId)
      throw new FcmError(403, 'PERMISSION_DENIED', 'SenderId mismatch', [fcmCode('SENDER_ID_MISMATCH')]);
    this.#inboxes.add({ provider: 'fcm', token, data, headers, body: message });
    return `projects/${projectId}/messages/${randomBytes(8).toString('hex')}`;
  }
}

function checkedData(data: unknown): Record<string, string> {
  if (data === undefined) return {};
  if (!isObject(data)) throw invalid('message.data', 'Invalid value (data), a map is expected.');
  for (const [key, value] of Object.entries(data)) {
    if (typeof value !== 'string')
      throw invalid(`message.data[${key}]`, 'Invalid value, TYPE_STRING is expected.');
    if (RESERVED_KEY.test(key)) throw invalid('message.data', `Invalid data payload key: ${key}`);
  }
  if (Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES)
    throw invalid('message', 'Message is too big.');
  return data as Record<string, string>;
}

function checkOptions({ android, webpush, apns, notification }: Record<string, unknown>): void {
  if (isObject(android)) {
    if (!['NORMAL', 'HIGH', 'normal', 'high', undefined].includes(android['priority'] as string))
      throw invalid('message.android.priority', 'Invalid value.');
    if (android['ttl'] !== undefined && !DURATION.test(String(android['ttl'])))
      throw invalid('message.android.ttl', 'Illegal duration format.');
  }
  for (const options of [webpush, apns]) {
    const headers = isObject(options) ? options['headers'] : undefined;
    if (isObject(headers) && Object.values(headers).some((value) => typeof value !== 'string'))
      throw invalid('message.headers', 'Invalid value, TYPE_STRING is expected.');
  }
  if (notification !== undefined && !isObject(notification))
    throw invalid('message.notification', 'Invalid value.');
}
