/** The Management API for a backend: one method per endpoint, `paginate` for its lists, and `request` for any path. */
import { addresses, type EndpointAddress, type EndpointName, type Endpoints } from './endpoints.ts';
import { paginators, type Paginators } from './paginate.ts';
import type { ApiFile } from './file.ts';
import {
  ATTEMPT_TIMEOUT_MS,
  MAX_ATTEMPTS,
  MAX_RETRY_AFTER_SECONDS,
  send,
  type Connection,
  type Method,
  type RequestOptions,
} from './request.ts';

const USER_AGENT = 'clarion-node/0.1.0';

export interface ClientOptions {
  /** The service's base URL. */
  url: string;
  /** `ck_…` */
  apiKey: string;
  /** How long one attempt may take; 15 s by default. */
  timeoutMs?: number;
  /** The maximum number of attempts per request; 4 by default, 1 to disable retries. */
  maxAttempts?: number;
  /** If Retry-After is longer than this, the error is thrown instead of waiting; 10 s by default. */
  maxRetryAfterSeconds?: number;
}

type Part<Name extends string, T> = [T] extends [undefined]
  ? { [N in Name]?: never }
  : object extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };

/** The input of an endpoint, with only the parts that it has. */
export type InputOf<N extends EndpointName> = Part<'path', Endpoints[N]['path']> &
  Part<'query', Endpoints[N]['query']> &
  Part<'body', Endpoints[N]['body']> &
  Omit<RequestOptions, 'query'>;
export type AnswerOf<N extends EndpointName> = Endpoints[N]['answer'];

/** What an endpoint that may return a file returns: by its query's `format`, JSON unless another one is given. */
type FileAnswerOf<Answer, Input> = [Answer] extends [undefined]
  ? ApiFile
  : Input extends { query: { format: infer Format } }
    ? InFormat<Format, Answer>
    : Answer;
type InFormat<Format, Answer> = Format extends 'json' | undefined ? Answer : ApiFile;

export type EndpointMethods = {
  [N in keyof Endpoints]: Endpoints[N]['file'] extends true
    ? <const I extends InputOf<N>>(input: I) => Promise<FileAnswerOf<Endpoints[N]['answer'], I>>
    : object extends InputOf<N>
      ? (input?: InputOf<N>) => Promise<AnswerOf<N>>
      : (input: InputOf<N>) => Promise<AnswerOf<N>>;
};

export interface ClarionClient extends EndpointMethods {
  /** Iterates over all entries of a list, loading pages as needed: `for await (const call of client.paginate.listCalls(…))`. */
  paginate: Paginators;
  /**
   * Sends a request to any path of the API. Retries safe requests after a lost connection, a 429 or a 5xx.
   * @throws ApiError the service's error; ConnectionError if it could not be reached
   */
  request<T>(method: Method, path: string, body?: unknown, options?: RequestOptions): Promise<T>;
}

/** @throws TypeError if the URL or the API key is missing, usually because an environment variable is not set */
export function createClient(options: ClientOptions): ClarionClient {
  const connection = connectionOf(options);
  const request = <T>(method: Method, path: string, body?: unknown, more?: RequestOptions): Promise<T> =>
    send(connection, method, path, body, more) as Promise<T>;
  const callers: Partial<Record<EndpointName, (input?: EndpointCall) => Promise<unknown>>> =
    Object.fromEntries(
      Object.entries(addresses).map(([name, address]) => [
        name,
        (input: EndpointCall = {}) => callEndpoint(request, address, input),
      ]),
    );
  // The paths and the types come from the same registry.
  const methods = callers as EndpointMethods;
  return { ...methods, paginate: paginators(methods), request };
}

function connectionOf(options: ClientOptions): Connection {
  const { url, apiKey } = options;
  if (!URL.canParse(url)) throw new TypeError('createClient requires the url of the service.');
  if (typeof apiKey !== 'string' || apiKey.trim() === '')
    throw new TypeError('createClient requires an apiKey.');
  return {
    url: url.replace(/\/+$/, ''),
    apiKey: apiKey.trim(),
    userAgent: USER_AGENT,
    timeoutMs: options.timeoutMs ?? ATTEMPT_TIMEOUT_MS,
    maxAttempts: options.maxAttempts ?? MAX_ATTEMPTS,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? MAX_RETRY_AFTER_SECONDS,
  };
}

interface EndpointCall extends RequestOptions {
  path?: Record<string, string | number>;
  body?: unknown;
}

function callEndpoint(request: ClarionClient['request'], endpoint: EndpointAddress, input: EndpointCall) {
  const { path = {}, body, ...more } = input;
  const address = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined || value === '') throw new TypeError(`${endpoint.path} requires ${name}.`);
    // In a URL these are relative path segments, even if encoded: the request would go to a different path.
    if (value === '.' || value === '..') throw new TypeError(`${name} cannot be ${value} in a path.`);
    return encodeURIComponent(value);
  });
  // A response with a secret is not stored for an idempotency key: a retry would create a second secret, or return none.
  const retry = more.retry ?? !endpoint.neverRepeated;
  return request(endpoint.method, address, body, { ...more, retry });
}
