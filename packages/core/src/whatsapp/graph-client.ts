/**
 * Client of Meta's Graph API for WhatsApp calling. Every result is a value: a refusal with Meta's error, or the reason why there is no
 * usable response. The access token is only in the request's header, and is removed from Meta's error messages, which may repeat it.
 */
import type { Egress, EgressResponse } from '../egress/guard.ts';
import {
  answerBody,
  connectBody,
  endBody,
  permissionQuery,
  permissionRequestBody,
  PHONE_NUMBER_FIELDS,
  readCallingSettings,
  readConnected,
  readDone,
  readGraphError,
  readPermission,
  readPhoneNumber,
  readSent,
} from '../whatsapp-graph/graph-bodies.ts';
import type { CallingSettings, CurrentPermission, PhoneNumberInfo } from '../whatsapp-graph/graph-bodies.ts';
import type { GraphError, GraphSilence } from '../whatsapp-graph/graph-errors.ts';

export const GRAPH_VERSION = 'v23.0';

/** Each is for everything: DNS lookup, connection, request and the whole response. */
export const GRAPH_TIMEOUT_MS = {
  /** Meta responds within a second or two. A customer waits for accept, an agent for connect. */
  call: 8_000,
  read: 5_000,
  message: 10_000,
} as const;
const RETRY_AFTER_MS = 250;
/** Responses have less than 2 kB. A longer one is not read. */
export const MAX_RESPONSE_BYTES = 64 * 1024;
const USER_AGENT = 'Clarion-WhatsApp/1';

/** The number at Meta and its secret. */
export interface GraphLine {
  /** The provider_account_id of the line. */
  phoneNumberId: string;
  accessToken: string;
}

export type GraphResult<T> =
  | { kind: 'ok'; value: T }
  /** Meta refused the request. */
  | { kind: 'refused'; httpStatus: number; error: GraphError }
  /** `sent`: whether Meta may have received the request, so that it may have had its effect. */
  | { kind: 'silent'; silence: GraphSilence; sent: boolean };

export interface GraphClient {
  /** Calls a customer; the value is the ID of the call at Meta. */
  connect(
    line: GraphLine,
    call: { to: string; sdpOffer: string; opaque: string },
  ): Promise<GraphResult<string>>;
  /** Starts the audio of an inbound call before it is accepted. */
  preAccept(line: GraphLine, callId: string, sdpAnswer: string): Promise<GraphResult<true>>;
  /** Audio may be sent when the result is `ok`, and not before. */
  accept(line: GraphLine, callId: string, sdpAnswer: string): Promise<GraphResult<true>>;
  reject(line: GraphLine, callId: string): Promise<GraphResult<true>>;
  terminate(line: GraphLine, callId: string): Promise<GraphResult<true>>;
  /** Sends a message that asks the customer to allow calls; the value is the message's ID. */
  requestPermission(line: GraphLine, to: string, text: string): Promise<GraphResult<string>>;
  readPermission(line: GraphLine, of: string): Promise<GraphResult<CurrentPermission>>;
  readCallingSettings(line: GraphLine): Promise<GraphResult<CallingSettings>>;
  readPhoneNumber(line: GraphLine): Promise<GraphResult<PhoneNumberInfo>>;
}

/**
 * When a request is sent once more. A request that never left is always repeated. connect and messages are not repeated otherwise: the
 * customer's phone would ring or show the message twice. A response of 500 or more to pre_accept and accept means that Meta did not
 * accept, but after a timeout it may have, and a second accept would be refused. Reading has no effect, and a call that has ended stays
 * ended, so reads, reject and terminate are repeated after a timeout too.
 */
type Repeat = 'if-unsent' | 'if-failed' | 'always';

interface GraphRequest<T> {
  line: GraphLine;
  method: 'GET' | 'POST';
  path: string;
  body: object | null;
  timeoutMs: number;
  repeat: Repeat;
  /** Null: not a valid response. */
  read: (json: unknown) => T | null;
}

export interface GraphClientOptions {
  egress: Pick<Egress, 'exchange'>;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Waits before the request is repeated. */
  pause?: (ms: number) => Promise<void>;
}

const wait = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));

export function createGraphClient({ egress, baseUrl, pause = wait }: GraphClientOptions): GraphClient {
  async function request<T>(asked: GraphRequest<T>): Promise<GraphResult<T>> {
    const first = await attempt(asked);
    if (!isRepeated(asked.repeat, first)) return first;
    await pause(RETRY_AFTER_MS);
    return attempt(asked);
  }

  async function attempt<T>({ line, method, path, body, timeoutMs, read }: GraphRequest<T>) {
    const url = `${baseUrl}/${GRAPH_VERSION}/${encodeURIComponent(line.phoneNumberId)}${path}`;
    const headers = { authorization: `Bearer ${line.accessToken}`, 'user-agent': USER_AGENT };
    const text = body === null ? null : JSON.stringify(body);
    try {
      const limits = { timeoutMs, maxBodyBytes: MAX_RESPONSE_BYTES + 1 };
      const response = await egress.exchange(url, { method, headers, body: text, ...limits });
      return resultOf(response, read, line.accessToken);
    } catch (error) {
      return silenceOf(error);
    }
  }

  const calls = (line: GraphLine, body: object, repeat: Repeat) => ({
    line,
    method: 'POST' as const,
    path: '/calls',
    body,
    timeoutMs: GRAPH_TIMEOUT_MS.call,
    repeat,
  });
  const reads = (line: GraphLine, path: string) => ({
    line,
    method: 'GET' as const,
    path,
    body: null,
    timeoutMs: GRAPH_TIMEOUT_MS.read,
    repeat: 'always' as const,
  });
  return {
    connect: (line, { to, sdpOffer, opaque }) =>
      request({ ...calls(line, connectBody(to, sdpOffer, opaque), 'if-unsent'), read: readConnected }),
    preAccept: (line, callId, sdp) =>
      request({ ...calls(line, answerBody('pre_accept', callId, sdp), 'if-failed'), read: readDone }),
    accept: (line, callId, sdp) =>
      request({ ...calls(line, answerBody('accept', callId, sdp), 'if-failed'), read: readDone }),
    reject: (line, callId) =>
      request({ ...calls(line, endBody('reject', callId), 'always'), read: readDone }),
    terminate: (line, callId) =>
      request({ ...calls(line, endBody('terminate', callId), 'always'), read: readDone }),
    requestPermission: (line, to, text) =>
      request({
        ...calls(line, permissionRequestBody(to, text), 'if-unsent'),
        path: '/messages',
        timeoutMs: GRAPH_TIMEOUT_MS.message,
        read: readSent,
      }),
    readPermission: (line, of) =>
      request({ ...reads(line, `/call_permissions?${permissionQuery(of)}`), read: readPermission }),
    readCallingSettings: (line) => request({ ...reads(line, '/settings'), read: readCallingSettings }),
    readPhoneNumber: (line) =>
      request({ ...reads(line, `?fields=${PHONE_NUMBER_FIELDS}`), read: readPhoneNumber }),
  };
}

const SERVER_ERROR = 500;

function isRepeated(repeat: Repeat, result: GraphResult<unknown>): boolean {
  switch (result.kind) {
    case 'ok':
      return false;
    case 'refused':
      return result.httpStatus >= SERVER_ERROR && repeat !== 'if-unsent';
    case 'silent':
      return !result.sent || (repeat === 'always' && result.silence !== 'malformed');
  }
}

function resultOf<T>(
  { status, text }: EgressResponse,
  read: (json: unknown) => T | null,
  accessToken: string,
): GraphResult<T> {
  const json = Buffer.byteLength(text) > MAX_RESPONSE_BYTES ? undefined : parsed(text);
  if (status < 200 || status >= 300)
    return { kind: 'refused', httpStatus: status, error: withoutToken(readGraphError(json), accessToken) };
  const value = read(json);
  return value === null ? { kind: 'silent', silence: 'malformed', sent: true } : { kind: 'ok', value };
}

/** Undefined: not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Meta repeats a malformed token in its message. */
const withoutToken = (error: GraphError, accessToken: string): GraphError => {
  const redact = (text: string) => (accessToken === '' ? text : text.replaceAll(accessToken, '…'));
  return {
    ...error,
    message: redact(error.message),
    details: error.details === null ? null : redact(error.details),
  };
};

/** Errors that occur before the first byte of a request is sent (Node's errors, undici's, and the egress guard's). */
const UNSENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ENODATA',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function silenceOf(error: unknown): Extract<GraphResult<never>, { kind: 'silent' }> {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'TimeoutError') return { kind: 'silent', silence: 'timeout', sent: true };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const sent = error.name !== 'EgressRefused' && !UNSENT.has(code);
  return { kind: 'silent', silence: 'unreachable', sent };
}
