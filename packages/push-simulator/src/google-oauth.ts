/** Google's token endpoint (RFC 7523): access tokens for assertions that a service account's key has signed. */
import { createPublicKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Request, Response, Service } from './exchange.ts';
import { Faults } from './faults.ts';
import type { Http1Connections } from './http1-server.ts';
import { readJwt } from './jwt.ts';

export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  /** PEM; a private key will do. */
  readonly key: string;
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const MAX_ASSERTION_SECONDS = 3600;
const SKEW_SECONDS = 300;
const TOKEN_BYTES = 24;

export class GoogleOauth implements Service {
  readonly faults = new Faults();
  readonly connections: Http1Connections = { mostOpen: 0 };
  /** Added to this machine's clock. */
  clockOffsetMs = 0;
  /** Of the access tokens issued from now on. */
  expiresInSeconds = 3599;
  /** How many access tokens were issued. */
  issued = 0;
  /** Set when the server listens: what an assertion must name as its audience. */
  url = '';
  readonly #accounts = new Map<string, { projectId: string; key: KeyObject }>();
  readonly #tokens = new Map<string, { projectId: string; expiresAt: number }>();

  constructor(accounts: readonly ServiceAccount[]) {
    for (const { projectId, clientEmail, key } of accounts)
      this.#accounts.set(clientEmail, { projectId, key: createPublicKey(key) });
  }

  /** The access tokens that were issued until now are no longer accepted. */
  revokeAll(): void {
    this.#tokens.clear();
  }

  /** The project for which the access token is valid; null: it is not. */
  projectOf(accessToken: string): string | null {
    const known = this.#tokens.get(accessToken);
    return known && known.expiresAt > this.#now() ? known.projectId : null;
  }

  #now(): number {
    return Date.now() + this.clockOffsetMs;
  }

  tokenOf(): null {
    return null;
  }

  handle({ method, path, headers, body }: Request): Response {
    if (method !== 'POST' || path !== '/token') return { status: 404, body: { error: 'not_found' } };
    if (headers['content-type'] !== 'application/x-www-form-urlencoded')
      return refusal('invalid_request', 'Invalid content type');
    const form = new URLSearchParams(body.toString('utf8'));
    if (form.get('grant_type') !== GRANT_TYPE) return refusal('unsupported_grant_type', 'Invalid grant_type');
    const jwt = readJwt(form.get('assertion') ?? '', 'RS256');
    const account = this.#accounts.get(String(jwt?.claims['iss']));
    if (!jwt || !account) return refusal('invalid_grant', 'Invalid grant: account not found');
    if (!jwt.isSignedBy(account.key)) return refusal('invalid_grant', 'Invalid JWT Signature.');
    const problem = claimProblem(jwt.claims, this.url, this.#now());
    if (problem !== null) return refusal('invalid_grant', problem);
    const token = `ya29.${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    this.issued += 1;
    this.#tokens.set(token, {
      projectId: account.projectId,
      expiresAt: this.#now() + this.expiresInSeconds * 1000,
    });
    return {
      status: 200,
      body: { access_token: token, expires_in: this.expiresInSeconds, token_type: 'Bearer' },
    };
  }
}

function claimProblem(claims: Readonly<Record<string, unknown>>, url: string, nowMs: number): string | null {
  const { aud, scope, iat, exp } = claims;
  const now = nowMs / 1000;
  if (aud !== url) return 'Invalid JWT: the audience is wrong.';
  if (scope !== SCOPE) return 'Invalid OAuth scope or ID token audience provided.';
  if (typeof iat !== 'number' || typeof exp !== 'number') return 'Invalid JWT: iat and exp are required.';
  if (exp - iat > MAX_ASSERTION_SECONDS || exp < now - SKEW_SECONDS || iat > now + SKEW_SECONDS)
    return 'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.';
  return null;
}

const refusal = (error: string, description: string): Response => ({
  status: 400,
  body: { error, error_description: description },
});
