/** API keys and signing keys of a consumer. Every process hears of a revocation by a trigger of the table. */
import type { ApiKey, SigningKey } from '@clarion/db';
import { ApiError, notFound } from '@clarion/protocol';
import type {
  ApiKeyResource,
  CreateApiKey,
  CreateSigningKey,
  SigningKeyResource,
} from '@clarion/protocol/v1/account/keys';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { newApiKey } from './api-key.ts';
import { presentApiKey, presentSigningKey } from './present.ts';
import { newKid, newSigningSecret } from './secrets.ts';

const DAY_MS = 24 * 60 * 60_000;

export interface CreatedApiKey {
  apiKey: ApiKeyResource;
  /** The whole key; it is not kept. */
  secret: string;
}

export async function createApiKey(ctx: Ctx, { name, expiresInDays }: CreateApiKey): Promise<CreatedApiKey> {
  const { key, prefix, hash } = newApiKey(ctx.consumer.slug);
  return inTransaction(ctx, async (inner) => {
    const { db, consumer, now } = inner;
    const expiresAt = expiresInDays === null ? null : new Date(now.getTime() + expiresInDays * DAY_MS);
    const row = await db.apiKey.create({ data: { consumerId: consumer.id, name, prefix, hash, expiresAt } });
    await audit(inner, { action: 'api_key.create', target: String(row.id), details: { name, prefix } });
    return { apiKey: presentApiKey(row), secret: key };
  });
}

export async function listApiKeys({ db, consumer }: Ctx): Promise<ApiKeyResource[]> {
  const rows = await db.apiKey.findMany({
    where: { consumerId: consumer.id, revokedAt: null },
    orderBy: { id: 'asc' },
  });
  return rows.map(presentApiKey);
}

/** @throws 404, also for a key that was revoked before; 409 last_key, for which expired keys do not count */
export async function revokeApiKey(ctx: Ctx, keyId: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { db, consumer, now } = inner;
    await holdKeys(inner);
    const kept = await db.apiKey.findMany({ where: { consumerId: consumer.id, revokedAt: null } });
    const isActive = ({ expiresAt }: ApiKey) => !(expiresAt && expiresAt <= now);
    assertNotLast(kept, ({ id }) => id === keyId, isActive);
    await db.apiKey.update({ where: { id: keyId }, data: { revokedAt: now } });
    await audit(inner, { action: 'api_key.revoke', target: String(keyId) });
  });
}

export interface CreatedSigningKey {
  signingKey: SigningKeyResource;
  secret: string;
}

/** @throws 409 kid_taken, also when the key with that kid was revoked */
export async function createSigningKey(ctx: Ctx, input: CreateSigningKey): Promise<CreatedSigningKey> {
  const kid = input.kid ?? newKid();
  const secret = newSigningSecret();
  return inTransaction(ctx, async (inner) => {
    const { db, consumer } = inner;
    const [row] = await db.signingKey.createManyAndReturn({
      data: [
        {
          consumerId: consumer.id,
          kid,
          name: input.name,
          secretSealed: inner.secrets.seal('signing-key', secret),
        },
      ],
      skipDuplicates: true,
    });
    if (!row) throw new ApiError('kid_taken', { details: { field: 'kid' } });
    await audit(inner, { action: 'signing_key.create', target: kid });
    return { signingKey: presentSigningKey(row), secret };
  });
}

export async function listSigningKeys({ db, consumer }: Ctx): Promise<SigningKeyResource[]> {
  const rows = await db.signingKey.findMany({
    where: { consumerId: consumer.id, revokedAt: null },
    orderBy: { id: 'asc' },
  });
  return rows.map(presentSigningKey);
}

/** @throws 404, also for a key that was revoked before; 409 last_key */
export async function revokeSigningKey(ctx: Ctx, kid: string): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { db, consumer, now } = inner;
    await holdKeys(inner);
    const kept = await db.signingKey.findMany({ where: { consumerId: consumer.id, revokedAt: null } });
    const { id } = assertNotLast(
      kept,
      (key: SigningKey) => key.kid === kid,
      () => true,
    );
    await db.signingKey.update({ where: { id }, data: { revokedAt: now } });
    // Whoever was launched with one of its tokens leaves too, as agents do.
    await db.dashboardSession.updateMany({
      where: { signingKeyId: id, revokedAt: null },
      data: { revokedAt: now },
    });
    await audit(inner, { action: 'signing_key.revoke', target: kid });
  });
}

/** Until the transaction ends: two revocations at once must not each find the other's key left. */
async function holdKeys({ db, consumer }: Ctx): Promise<void> {
  await db.$executeRaw`select 1 from "Consumer" where "id" = ${consumer.id} for no key update`;
}

/**
 * @returns the key that may be revoked
 * @throws 404; 409 last_key when it is the last one that is active
 */
function assertNotLast<Key>(
  kept: readonly Key[],
  isIt: (key: Key) => boolean,
  isActive: (key: Key) => boolean,
): Key {
  const key = kept.find(isIt);
  if (!key) throw notFound('The key');
  if (isActive(key) && !kept.some((other) => other !== key && isActive(other)))
    throw new ApiError('last_key');
  return key;
}
