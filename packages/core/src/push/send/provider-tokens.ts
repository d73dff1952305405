/**
 * The JWTs with which we identify a consumer to APNs, one per key. Apple accepts one for an hour, and refuses senders that make new ones
 * more than once in 20 minutes.
 */
import { createHash } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import type { CredentialsOf } from './push-sender.ts';

const MINUTE_MS = 60_000;
const REUSED_FOR_MS = 50 * MINUTE_MS;
/** How often one is replaced because Apple considers it expired: its clock and ours differ. */
const REPLACED_AFTER_MS = 20 * MINUTE_MS;
/** Of keys. Beyond it, the one that was added first is forgotten. */
const MAX_TOKENS = 1_000;
const ALGORITHM = 'ES256';

interface Entry {
  token: Promise<string>;
  issuedAt: number;
  replacedAt: number | null;
}

export type ApnsCredentials = CredentialsOf<'apns'>;

/** Changes if the consumer replaces the key. */
export const apnsKeyId = ({ settings: { teamId, keyId }, secret }: ApnsCredentials): string =>
  `${teamId} ${keyId} ${createHash('sha256').update(secret).digest('base64url')}`;

export class ProviderTokens {
  readonly #now: () => Date;
  readonly #entries = new Map<string, Entry>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** @throws if the key cannot sign */
  async current(credentials: ApnsCredentials): Promise<string> {
    const key = apnsKeyId(credentials);
    const known = this.#entries.get(key);
    const age = known ? this.#now().getTime() - known.issuedAt : Number.NaN;
    // A negative age: our clock was set back.
    if (known && age >= 0 && age < REUSED_FOR_MS) return known.token;
    return this.#issue(key, credentials, known?.replacedAt ?? null).token;
  }

  /** The token to try after Apple has said that `expired` is expired; null: it has been replaced already, and that was no help. */
  async after(expired: string, credentials: ApnsCredentials): Promise<string | null> {
    const key = apnsKeyId(credentials);
    const known = this.#entries.get(key);
    const token = await known?.token;
    const current = this.#entries.get(key);
    // Another request has replaced it meanwhile.
    if (current && (current !== known || token !== expired)) return current.token;
    const now = this.#now().getTime();
    const replacedAt = known?.replacedAt ?? null;
    if (replacedAt !== null && Math.abs(now - replacedAt) < REPLACED_AFTER_MS) return null;
    return this.#issue(key, credentials, now).token;
  }

  #issue(key: string, credentials: ApnsCredentials, replacedAt: number | null): Entry {
    const issuedAt = this.#now().getTime();
    const entry = { token: signed(credentials, issuedAt), issuedAt, replacedAt };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [first] = this.#entries.keys();
    if (this.#entries.size > MAX_TOKENS && first !== undefined) this.#entries.delete(first);
    return entry;
  }
}

async function signed(
  { settings: { teamId, keyId }, secret }: ApnsCredentials,
  atMs: number,
): Promise<string> {
  const key = await importPKCS8(secret, ALGORITHM);
  return new SignJWT({})
    .setProtectedHeader({ alg: ALGORITHM, kid: keyId })
    .setIssuer(teamId)
    .setIssuedAt(Math.floor(atMs / 1000))
    .sign(key);
}
