/**
 * Idempotency-Key of a POST (docs/requirements.md#errors). A row is claimed before the verb and filled after it, in the verb's own
 * transaction, so that a crash in between leaves either both the change and its response or neither.
 */
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Database, Tx } from '@clarion/db';
import { ApiError, malformed } from '@clarion/protocol';

const KEY_MAX_CHARS = 255;
const RETENTION_MS = 24 * 60 * 60_000;
/** After this a first request is taken for dead: its transaction has timed out long before. */
const STUCK_AFTER_MS = 2 * 60_000;
const IN_USE_RETRY_SECONDS = 1;
/** A row can be deleted between the claim and the read (its request failed); then the key can be claimed again. */
const CLAIM_ATTEMPTS = 3;

export interface Claim {
  id: bigint;
  claimedAt: Date;
}
export interface StoredResponse {
  status: number;
  text: string;
  /** The call that the text contains: deleting or erasing the call finds the stored text by it. */
  callId: number | null;
}

/** @throws 400 when the key is empty or over 255 characters */
export function readKey(header: string | null): string | null {
  if (header === null) return null;
  if (header.length < 1 || header.length > KEY_MAX_CHARS) {
    throw malformed(`Idempotency-Key must be 1 to ${KEY_MAX_CHARS} characters.`);
  }
  return header;
}

/**
 * What two requests under one key must have in common. The body counts as parsed JSON text, so spaces do not matter and the order
 * of fields does; a query counts as it was sent, where the endpoint reads one. The hash is keyed, because a reader of the table
 * could find the phone number in a body from a plain hash by trying all numbers.
 *
 * @param body its canonical form
 * @returns the hash under the first master key, then under each older one
 */
export function requestHashes(
  secrets: SecretBox,
  { method, path, body }: { method: string; path: string; body: string },
): [string, ...string[]] {
  return secrets.fingerprints('idempotency', `${method}\n${path}\n${body}`);
}

/**
 * Claims the key for this request, or finds the response stored under it.
 *
 * @throws 422 when the key was used for another request, finished or not; otherwise 409 idempotency_key_in_use while the first
 *   request runs
 */
export async function claimKey(
  db: Database,
  request: { consumerId: number; key: string; hashes: readonly [string, ...string[]] },
  now: Date,
): Promise<{ claim: Claim } | { response: StoredResponse }> {
  const { consumerId, key, hashes } = request;
  const [hash] = hashes;
  const stuckBefore = new Date(now.getTime() - STUCK_AFTER_MS);
  const expiredBefore = new Date(now.getTime() - RETENTION_MS);
  for (let attempt = 1; attempt <= CLAIM_ATTEMPTS; attempt += 1) {
    const [claim] = await db.$queryRaw<Claim[]>`
      insert into "IdempotencyKey" as k ("consumerId", "key", "requestHash", "claimedAt", "createdAt")
      values (${consumerId}, ${key}, ${hash}, ${now}, ${now})
      on conflict ("consumerId", "key") do update
        set "requestHash" = excluded."requestHash", "status" = null, "body" = null, "callId" = null,
          "claimedAt" = excluded."claimedAt", "createdAt" = excluded."createdAt"
        where (k."status" is null and k."claimedAt" <= ${stuckBefore}) or k."createdAt" <= ${expiredBefore}
      returning "id", "claimedAt"`;
    if (claim) return { claim };
    const row = await db.idempotencyKey.findUnique({ where: { consumerId_key: { consumerId, key } } });
    if (!row) continue;
    if (!hashes.includes(row.requestHash)) throw new ApiError('idempotency_key_reused');
    if (row.status !== null) {
      return { response: { status: row.status, text: String(row.body), callId: row.callId } };
    }
    break;
  }
  throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: IN_USE_RETRY_SECONDS });
}

/**
 * Stores the response under the claim.
 *
 * @throws when another request has claimed the key in the meantime; the transaction is then rolled back
 */
export async function storeResponse(
  db: Tx,
  claim: Claim,
  { status, text, callId }: StoredResponse,
): Promise<void> {
  // As one JSON string, because jsonb does not keep the order of fields.
  const { count } = await db.idempotencyKey.updateMany({
    where: { id: claim.id, claimedAt: claim.claimedAt, status: null },
    data: { status, body: text, callId },
  });
  if (count === 0) throw new ApiError('idempotency_key_in_use', { retryAfterSeconds: IN_USE_RETRY_SECONDS });
}

/** Releases the key: a 5xx is not stored, and its retry runs again. */
export async function releaseKey(db: Tx, claim: Claim): Promise<void> {
  await db.idempotencyKey.deleteMany({ where: { id: claim.id, claimedAt: claim.claimedAt, status: null } });
}

export async function purgeOldKeys(db: Tx, now: Date): Promise<void> {
  await db.idempotencyKey.deleteMany({
    where: { createdAt: { lte: new Date(now.getTime() - RETENTION_MS) } },
  });
}
