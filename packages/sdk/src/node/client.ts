/** The Management API for a backend: one method per endpoint, `paginate` over its lists, and a plain `request` under them. */
import { addresses, type EndpointAddress, type EndpointName, type Endpoints } from './endpoints.ts';
import { paginators, type Paginators } from './paginate.ts';
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
  /** How long one attempt may take; 15 s unless given. */
  timeoutMs?: number;
  /** How often a request is tried; 4 times unless given, 1 for never again. */
  maxAttempts?: number;
  /** A longer Retry-After is thrown instead of waited for; 10 s unless given. */
  maxRetryAfterSeconds?: number;
}

type Part<Name extends string, T> = [T] extends [undefined]
  ? { [N in Name]?: never }
  : object extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T };

/** What an endpoint asks for: only the parts that it has. */
export type InputOf<N extends EndpointName> = Part<'path', Endpoints[N]['path']> &
  Part<'query', Endpoints[N]['query']> &
  Part<'body', Endpoints[N]['body']> &
  Omit<RequestOptions, 'query'>;
export type AnswerOf<N extends EndpointName> = Endpoints[N]['answer'];

export type EndpointMethods = {
  [N in keyof Endpoints]: object extends InputOf<N>
    ? (input?: InputOf<N>) => Promise<AnswerOf<N>>
    : (input: InputOf<N>) => Promise<AnswerOf<N>>;
};

export interface ClarionClient extends EndpointMethods {
  /** Every entry of a list, page by page as the loop goes on: `for await (const call of client.paginate.listCalls(…))`. */
  paginate: Paginators;
  /**
   * Any path of the API. Repeats what is safe to repeat after a lost connection, a 429 or a 5xx.
   * @throws ApiError what the service answered; ConnectionError when it could not be reached
   */
  request<T>(method: Method, path: string, body?: unknown, options?: RequestOptions): Promise<T>;
}

/** @throws TypeError when the URL or the key is missing: most often a setting that was not set */
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
  // The addresses and the types come from the same registry.
  const methods = callers as EndpointMethods;
  return { ...methods, paginate: paginators(methods), request };
}

function connectionOf(options: ClientOptions): Connection {
  const { url, apiKey } = options;
  if (!URL.canParse(url)) throw new TypeError('createClient needs the url of the service.');
  if (typeof apiKey !== 'string' || apiKey.trim() === '')
    throw new TypeError('createClient needs an apiKey.');
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
    if (value === undefined || value === '') throw new TypeError(`${endpoint.path} needs ${name}.`);
    // A URL takes these for steps up the path, encoded or not: the request would be about something else.
    if (value === '.' || value === '..') throw new TypeError(`${name} cannot be ${value} in a path.`);
    return encodeURIComponent(value);
  });
  // An answer that shows a secret is not kept for a repeat, so a repeat would make a second secret.
  const retry = more.retry ?? !endpoint.neverReplayed;
  return request(endpoint.method, address, body, { ...more, retry });
}
