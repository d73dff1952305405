/** Access tokens for FCM: issued by Google for an assertion that the service account's key has signed (RFC 7523). */
import { createHash } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import type { PushResult } from '../push-message.ts';
import { isBusy, notSendable, parsedAnswer, reasonText, retryLater, statusReason } from './answer.ts';
import type { Answer } from './answer.ts';
import type { Post } from './egress-request.ts';
import { silenceResult } from './http2-connection.ts';
import type { CredentialsOf } from './push-sender.ts';
import { ANSWER_TIMEOUT_MS } from './time-left.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ALGORITHM = 'RS256';
const ASSERTION_SECONDS = 3_600;
/** A token is not used in its last minute. */
const MARGIN_MS = 60_000;
/** Many sends that need the same token do not each ask for one that was refused just now. */
const REFUSAL_KEPT_MS = 5_000;
/** Of service accounts. Beyond it, the one that was added first is forgotten. */
const MAX_TOKENS = 1_000;

export type FcmCredentials = CredentialsOf<'fcm'>;

/** A token, or the result of the send that needs one. */
export type Access = { token: string } | { result: PushResult };

interface Entry {
  access: Promise<Access>;
  /** Null: it is being requested. */
  usableUntil: number | null;
}

const issued = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().positive(),
});
const refused = z.object({ error: z.string() });

export class AccessTokens {
  readonly #post: Post;
  readonly #now: () => Date;
  readonly #entries = new Map<string, Entry>();

  constructor(post: Post, now: () => Date) {
    this.#post = post;
    this.#now = now;
  }

  /** Sends that need the same token share one request. */
  async current(credentials: FcmCredentials): Promise<Access> {
    const key = keyOf(credentials);
    const known = this.#entries.get(key);
    const isUsable = known && (known.usableUntil === null || this.#now().getTime() < known.usableUntil);
    return isUsable ? known.access : this.#request(key, credentials);
  }

  /** The token to try after FCM has refused `stale`, of which another send may have asked for a new one already. */
  async after(stale: string, credentials: FcmCredentials): Promise<Access> {
    const key = keyOf(credentials);
    const known = this.#entries.get(key);
    if (known) {
      const access = await known.access;
      if ('token' in access && access.token === stale && this.#entries.get(key) === known)
        this.#entries.delete(key);
    }
    return this.current(credentials);
  }

  #request(key: string, credentials: FcmCredentials): Promise<Access> {
    const entry: Entry = {
      access: this.#issue(credentials, (until) => (entry.usableUntil = until)),
      usableUntil: null,
    };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [first] = this.#entries.keys();
    if (this.#entries.size > MAX_TOKENS && first !== undefined) this.#entries.delete(first);
    return entry.access;
  }

  async #issue(credentials: FcmCredentials, keepUntil: (usableUntil: number) => void): Promise<Access> {
    const askedAt = this.#now().getTime();
    const refuse = (result: PushResult, keptMs = 0): Access => {
      keepUntil(this.#now().getTime() + keptMs);
      return { result };
    };
    let body: string;
    try {
      body = await tokenRequest(credentials, askedAt);
    } catch {
      return refuse(notSendable('InvalidPrivateKey'), REFUSAL_KEPT_MS);
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await this.#post(
      credentials.settings.tokenUri,
      { headers, body },
      () => ANSWER_TIMEOUT_MS,
    );
    if ('silence' in answer) return refuse(silenceResult(answer));
    const { data } = issued.safeParse(parsedAnswer(answer.text));
    if (answer.status !== 200 || !data) return refuse(refusal(answer, this.#now()), REFUSAL_KEPT_MS);
    keepUntil(askedAt + data.expires_in * 1000 - MARGIN_MS);
    return { token: data.access_token };
  }
}

/** Changes if the consumer replaces the service account's key. */
const keyOf = ({ settings: { clientEmail, tokenUri }, secret }: FcmCredentials): string =>
  `${clientEmail} ${tokenUri} ${createHash('sha256').update(secret).digest('base64url')}`;

async function tokenRequest(
  { settings: { clientEmail, tokenUri }, secret }: FcmCredentials,
  atMs: number,
): Promise<string> {
  const issuedAt = Math.floor(atMs / 1000);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS)
    .sign(await importPKCS8(secret, ALGORITHM));
  return new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString();
}

/** Google's codes of RFC 6749, such as `invalid_grant`. */
function refusal(answer: Answer, now: Date): PushResult {
  const { status } = answer;
  const code = refused.safeParse(parsedAnswer(answer.text)).data?.error ?? '';
  const reason = reasonText(code) || statusReason(status);
  if (isBusy(status)) return retryLater(answer, reason, now);
  return { outcome: 'failed', httpStatus: status, reason };
}
