/**
 * Authenticates the API key of the Authorization header (docs/requirements.md#authentication). A cached key costs no SQL: key and
 * account are cached in memory and evicted when the database notifies a change of either.
 */
import { timingSafeEqual } from 'node:crypto';
import { readApiKey } from '@clarion/core/consumer/api-key';
import type { ReadApiKey } from '@clarion/core/consumer/api-key';
import type { Actor } from '@clarion/core/context';
import type { ApiKey, Consumer, Database } from '@clarion/db';
import { unauthorized } from '@clarion/protocol';
import { createCredentialCache } from './credential-cache.ts';

interface CachedKey {
  keyId: number;
  consumer: Consumer;
  expiresAt: Date | null;
}

export interface ApiKeyCaller {
  consumer: Consumer;
  actor: Extract<Actor, { kind: 'apiKey' }>;
}

export interface Authenticator {
  /** @throws unauthorized */
  authenticate(authorization: string | null): Promise<ApiKeyCaller>;
  evictKey(keyId: number): void;
  /** For a change made by this process: its next request sees it without waiting for the notification. */
  evictConsumer(consumerId: number): void;
  evictAll(): void;
}

export type KeyRow = ApiKey & { consumer: Consumer };
export type FindKey = (prefix: string) => Promise<KeyRow | null>;

export const keysIn =
  (db: Database): FindKey =>
  (prefix) =>
    db.apiKey.findUnique({ where: { prefix }, include: { consumer: true } });

export interface AuthenticatorOptions {
  now: () => Date;
  /** Whether notifications of changes are being received. */
  isCurrent: () => boolean;
  onUse: (keyId: number, at: Date) => void;
}

export function createAuthenticator(
  findKey: FindKey,
  { now, isCurrent, onUse }: AuthenticatorOptions,
): Authenticator {
  const { get, evict } = createCredentialCache<CachedKey>(isCurrent);

  async function load({ prefix, hash }: ReadApiKey): Promise<CachedKey> {
    const row = await findKey(prefix);
    if (!row || !timingSafeEqual(row.hash, hash) || row.revokedAt) throw unauthorized();
    return { keyId: row.id, consumer: row.consumer, expiresAt: row.expiresAt };
  }

  return {
    async authenticate(authorization) {
      const [, key] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      const read = key === undefined ? null : readApiKey(key);
      if (!read) throw unauthorized();
      // Cached by the hash, so that the keys themselves are not kept in memory.
      const cacheKey = Buffer.from(read.hash).toString('base64');
      const { keyId, consumer, expiresAt } = await get(cacheKey, () => load(read));
      const at = now();
      if (expiresAt && expiresAt <= at) throw unauthorized();
      onUse(keyId, at);
      return { consumer, actor: { kind: 'apiKey', id: keyId } };
    },
    evictKey: (keyId) => evict((cached) => cached.keyId === keyId),
    evictConsumer: (consumerId) => evict((cached) => cached.consumer.id === consumerId),
    evictAll: () => evict(() => true),
  };
}
