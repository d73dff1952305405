/** API keys and signing keys of a consumer. */
import { ApiError, notFound } from '@clarion/protocol';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { newApiKey } from './api-key.ts';
import { newKid, newSigningSecret } from './secrets.ts';

const DAY_MS = 24 * 60 * 60_000;

export interface CreatedApiKey {
  apiKey: { id: number; name: string; prefix: string; expiresAt: string | null; createdAt: string };
  /** The whole key; it is not kept. */
  key: string;
}

export async function createApiKey(
  ctx: Ctx,
  input: { name: string; expiresInDays: number | null },
): Promise<CreatedApiKey> {
  const { key, prefix, hash } = newApiKey(ctx.consumer.slug);
  const { name, expiresInDays } = input;
  return inTransaction(ctx, async (inner) => {
    const row = await inner.db.apiKey.create({
      data: {
        consumerId: inner.consumer.id,
        name,
        prefix,
        hash,
        expiresAt: expiresInDays === null ? null : new Date(inner.now.getTime() + expiresInDays * DAY_MS),
      },
    });
    await audit(inner, { action: 'api-key.create', target: String(row.id), details: { name, prefix } });
    const { id, expiresAt, createdAt } = row;
    return {
      apiKey: {
        id,
        name,
        prefix,
        expiresAt: expiresAt?.toISOString() ?? null,
        createdAt: createdAt.toISOString(),
      },
      key,
    };
  });
}

/** @throws 404, also for a key that was revoked before; 409 last_key */
export async function revokeApiKey(ctx: Ctx, keyId: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { db, consumer, now } = inner;
    // Two revocations at once must not both find another key left.
    await db.$queryRaw`select 1 from "Consumer" where "id" = ${consumer.id} for no key update`;
    const active = await db.apiKey.findMany({
      where: { consumerId: consumer.id, revokedAt: null },
      select: { id: true, expiresAt: true },
    });
    if (!active.some(({ id }) => id === keyId)) throw notFound('The key');
    const left = active.filter(({ id, expiresAt }) => id !== keyId && !(expiresAt && expiresAt <= now));
    if (left.length === 0) throw new ApiError('last_key');
    await db.apiKey.update({ where: { id: keyId }, data: { revokedAt: now } });
    await audit(inner, { action: 'api-key.revoke', target: String(keyId) });
  });
}

export interface CreatedSigningKey {
  signingKey: { id: number; kid: string; createdAt: string };
  secret: string;
}

/** @throws 409 kid_taken */
export async function createSigningKey(
  ctx: Ctx,
  input: { kid: string | null; name: string | null },
): Promise<CreatedSigningKey> {
  const kid = input.kid ?? newKid();
  const secret = newSigningSecret();
  return inTransaction(ctx, async (inner) => {
    const { db, consumer } = inner;
    const { count } = await db.signingKey.createMany({
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
    if (count === 0) throw new ApiError('kid_taken', { details: { field: 'kid' } });
    const row = await db.signingKey.findUniqueOrThrow({
      where: { consumerId_kid: { consumerId: consumer.id, kid } },
    });
    await audit(inner, { action: 'signing-key.create', target: kid });
    return { signingKey: { id: row.id, kid, createdAt: row.createdAt.toISOString() }, secret };
  });
}
