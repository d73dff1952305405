/**
 * Digest authentication of the client (RFC 3261 §22, RFC 7616, RFC 8760), for requests outside and inside dialogs. It
 * takes challenges and returns headers; sending is up to the caller:
 *
 *     const attempt = new DigestSession(credentials).attempt();
 *     let response = await send({ ...headers, ...attempt.remembered(request) });
 *     while (isChallenge(response)) {
 *       const authorization = attempt.answer(response, request);
 *       if (!authorization) break; // The credentials were rejected.
 *       response = await send({ ...headers, ...authorization }); // With the next CSeq number.
 *     }
 */
import { createHash, randomBytes } from 'node:crypto';

export interface Credentials {
  username: string;
  password: string;
}

/** The parts of a request that are hashed. `uri` is the Request-URI as it is sent. */
export interface DigestRequest {
  method: string;
  uri: string;
  body?: string;
}

/** A response whose headers of the same name are joined by commas. */
export interface ChallengeResponse {
  status: number;
  get: (name: string) => string | undefined;
}

/** `Authorization` or `Proxy-Authorization`, or both. */
export type AuthorizationHeaders = Record<string, string>;

export interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | null;
  stale: boolean;
  algorithm: Algorithm;
  /** Null: the challenge has no qop (RFC 2069). */
  qop: 'auth' | 'auth-int' | null;
}

/** Strongest first. */
const ALGORITHMS = [
  { name: 'SHA-512-256', hash: 'sha512-256', session: false },
  { name: 'SHA-512-256-sess', hash: 'sha512-256', session: true },
  { name: 'SHA-256', hash: 'sha256', session: false },
  { name: 'SHA-256-sess', hash: 'sha256', session: true },
  { name: 'MD5', hash: 'md5', session: false },
  { name: 'MD5-sess', hash: 'md5', session: true },
] as const;
type Algorithm = (typeof ALGORITHMS)[number];

const HEADERS = [
  { status: 401, challenge: 'WWW-Authenticate', authorization: 'Authorization' },
  { status: 407, challenge: 'Proxy-Authenticate', authorization: 'Proxy-Authorization' },
] as const;

/** More than any challenge needs; a bound on the time of parsing. Characters. */
const MAX_CHALLENGE_LENGTH = 4_096;

export const isChallenge = ({ status }: { status: number }): boolean =>
  HEADERS.some((header) => header.status === status);

/** Challenges of one server, remembered so that later requests need no challenge, with their nonce counts. */
export class DigestSession {
  readonly #credentials: Credentials;
  readonly #remembered = new Map<string, { challenge: Challenge; count: number }>();

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** For one request and its repetitions with credentials. */
  attempt(): DigestAttempt {
    return new DigestAttempt(this);
  }

  /** The realms by header that the last challenges named. */
  get remembered(): ReadonlyMap<string, { challenge: Challenge }> {
    return this.#remembered;
  }

  remember(header: string, challenge: Challenge): void {
    this.#remembered.set(header, { challenge, count: 0 });
  }

  /** Forgets a challenge whose answer was rejected: a later request waits for a new one. */
  forget(header: string): void {
    this.#remembered.delete(header);
  }

  headers(request: DigestRequest): AuthorizationHeaders {
    const headers: AuthorizationHeaders = {};
    for (const [header, entry] of this.#remembered) {
      entry.count += 1;
      headers[header] = digestHeader(entry.challenge, request, this.#credentials, entry.count);
    }
    return headers;
  }
}

type Answered = 'remembered' | 'answered' | 'stale';

export class DigestAttempt {
  readonly #session: DigestSession;
  readonly #answered = new Map<string, Answered>();

  constructor(session: DigestSession) {
    this.#session = session;
  }

  /** Headers for challenges of earlier requests; empty before the first one. */
  remembered(request: DigestRequest): AuthorizationHeaders {
    for (const [header, { challenge }] of this.#session.remembered)
      this.#answered.set(key(header, challenge), 'remembered');
    return this.#session.headers(request);
  }

  /**
   * Headers with which to repeat the request. Null: the response is no challenge that we support, or it rejects the
   * credentials: a challenge is answered once, and once more if only its nonce had expired (`stale`).
   */
  answer(response: ChallengeResponse, request: DigestRequest): AuthorizationHeaders | null {
    const kind = HEADERS.find(({ status }) => status === response.status);
    const challenge = kind && strongest(parseChallenges(response.get(kind.challenge)));
    if (!challenge) return null;
    const id = key(kind.authorization, challenge);
    const before = this.#answered.get(id);
    const last = this.#session.remembered.get(kind.authorization)?.challenge;
    const expired = challenge.stale && challenge.nonce !== last?.nonce;
    if (before === 'stale' || (before === 'answered' && !expired)) {
      this.#session.forget(kind.authorization);
      return null;
    }
    this.#answered.set(id, before === 'answered' ? 'stale' : 'answered');
    this.#session.remember(kind.authorization, challenge);
    return this.#session.headers(request);
  }
}

const key = (header: string, { realm }: Challenge): string => `${header} ${realm}`;

/** The first challenge among those with the strongest algorithm. */
export function strongest(challenges: readonly Challenge[]): Challenge | null {
  for (const algorithm of ALGORITHMS) {
    const found = challenges.find((challenge) => challenge.algorithm === algorithm);
    if (found) return found;
  }
  return null;
}

/** The value of an `Authorization` or `Proxy-Authorization` header. */
export function digestHeader(
  { realm, nonce, opaque, algorithm, qop }: Challenge,
  { method, uri, body = '' }: DigestRequest,
  { username, password }: Credentials,
  count: number,
  cnonce = randomBytes(16).toString('hex'),
): string {
  const hash = (...parts: string[]) => createHash(algorithm.hash).update(parts.join(':')).digest('hex');
  const secret = hash(username, realm, password);
  const a1 = algorithm.session ? hash(secret, nonce, cnonce) : secret;
  const a2 = qop === 'auth-int' ? hash(method, uri, hash(body)) : hash(method, uri);
  const nc = count.toString(16).padStart(8, '0');
  const response = qop === null ? hash(a1, nonce, a2) : hash(a1, nonce, nc, cnonce, qop, a2);
  const parameters = [
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${response}"`,
    `algorithm=${algorithm.name}`,
    ...(opaque === null ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === null ? [] : [`qop=${qop}`, `nc=${nc}`]),
    // Without qop, only a session algorithm hashes the client's nonce (RFC 2617 §3.2.2).
    ...(qop === null && !algorithm.session ? [] : [`cnonce="${cnonce}"`]),
  ];
  return `Digest ${parameters.join(', ')}`;
}

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** The Digest challenges in a header that we can answer. Never throws. */
export function parseChallenges(header: string | undefined): Challenge[] {
  if (header === undefined || header.length > MAX_CHALLENGE_LENGTH) return [];
  return splitChallenges(header).flatMap((parameters) => {
    const realm = parameters.get('realm');
    const nonce = parameters.get('nonce');
    const name = (parameters.get('algorithm') ?? 'MD5').toLowerCase();
    const algorithm = ALGORITHMS.find((known) => known.name.toLowerCase() === name);
    const qop = supportedQop(parameters.get('qop'));
    if (realm === undefined || nonce === undefined || !algorithm || qop === undefined) return [];
    const stale = parameters.get('stale')?.toLowerCase() === 'true';
    return [{ realm, nonce, opaque: parameters.get('opaque') ?? null, stale, algorithm, qop }];
  });
}

/** Undefined if the server requires a qop that we do not support. */
function supportedQop(qop: string | undefined): Challenge['qop'] | undefined {
  if (qop === undefined) return null;
  const offered = qop.split(',').map((value) => value.trim().toLowerCase());
  return (['auth', 'auth-int'] as const).find((value) => offered.includes(value));
}

/** A token, optionally followed by `=` and a value. A token without a value is the scheme of the next challenge. */
const PART = /[\s,]*([^\s,="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/y;

/** The parameters of each challenge with the scheme Digest; the first of a repeated parameter counts. */
function splitChallenges(header: string): Map<string, string>[] {
  const challenges: Map<string, string>[] = [];
  let current: Map<string, string> | null = null;
  PART.lastIndex = 0;
  for (let part = PART.exec(header); part; part = PART.exec(header)) {
    const [, token = '', inQuotes, bare] = part;
    const name = token.toLowerCase();
    const value = inQuotes?.replace(/\\(.)/g, '$1') ?? bare;
    if (value === undefined) {
      current = name === 'digest' ? new Map<string, string>() : null;
      if (current) challenges.push(current);
    } else if (current && !current.has(name)) current.set(name, value);
  }
  return challenges;
}
