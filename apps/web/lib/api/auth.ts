/**
 * Who calls: the API key of the Authorization header (docs/requirements.md#authentication). A key seen before costs no SQL:
 * key and account are kept in memory and forgotten when the database says that either changed.
 */
import { timingSafeEqual } from 'node:crypto';
import { readApiKey } from '@clarion/core/consumer/api-key';
import type { ReadApiKey } from '@clarion/core/consumer/api-key';
import type { Actor } from '@clarion/core/context';
import type { ApiKey, Consumer, Database } from '@clarion/db';
import { unauthorized } from '@clarion/protocol';
import { createBelieved } from './believed.ts';

interface Known {
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
  forgetKey(keyId: number): void;
  /** This process changed the account: its next request sees it, without waiting to be told. */
  forgetConsumer(consumerId: number): void;
  forgetAll(): void;
}

export type KeyRow = ApiKey & { consumer: Consumer };
export type FindKey = (prefix: string) => Promise<KeyRow | null>;

export const keysIn =
  (db: Database): FindKey =>
  (prefix) =>
    db.apiKey.findUnique({ where: { prefix }, include: { consumer: true } });

export interface AuthenticatorOptions {
  now: () => Date;
  /** Whether changes are heard of at once. */
  isCurrent: () => boolean;
  onUse: (keyId: number, at: Date) => void;
}

export function createAuthenticator(
  findKey: FindKey,
  { now, isCurrent, onUse }: AuthenticatorOptions,
): Authenticator {
  const { get, forget } = createBelieved<Known>(isCurrent);

  async function load({ prefix, hash }: ReadApiKey): Promise<Known> {
    const row = await findKey(prefix);
    if (!row || !timingSafeEqual(row.hash, hash) || row.revokedAt) throw unauthorized();
    return { keyId: row.id, consumer: row.consumer, expiresAt: row.expiresAt };
  }

  return {
    async authenticate(authorization) {
      const [, key] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      const read = key === undefined ? null : readApiKey(key);
      if (!read) throw unauthorized();
      // By the hash: the keys themselves do not lie about in memory.
      const name = Buffer.from(read.hash).toString('base64');
      const { keyId, consumer, expiresAt } = await get(name, () => load(read));
      const at = now();
      if (expiresAt && expiresAt <= at) throw unauthorized();
      onUse(keyId, at);
      return { consumer, actor: { kind: 'apiKey', id: keyId } };
    },
    forgetKey: (keyId) => forget((known) => known.keyId === keyId),
    forgetConsumer: (consumerId) => forget((known) => known.consumer.id === consumerId),
    forgetAll: () => forget(() => true),
  };
}
