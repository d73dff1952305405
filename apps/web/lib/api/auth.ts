/** Who calls: the API key of the Authorization header (spec, Authentication; design section 3). */
import { timingSafeEqual } from 'node:crypto';
import { readApiKey } from '@clarion/core/consumer/api-key';
import type { Actor } from '@clarion/core/context';
import type { Consumer, Database } from '@clarion/db';
import { unauthorized } from '@clarion/protocol';

/** A checked key is believed this long; a revocation is told at once, this is for when the telling was missed. */
const BELIEVED_MS = 5_000;
/** More keys in use at once than this and the cache starts over. */
const CACHE_MAX_KEYS = 10_000;
/** `lastUsedAt` is kept to the minute. */
const LAST_USED_STEP_MS = 60_000;

interface Believed {
  keyId: number;
  consumerId: number;
  expiresAt: Date | null;
  until: number;
}

export interface Authenticator {
  /** @throws unauthorized */
  authenticate(authorization: string | null): Promise<{ consumer: Consumer; actor: Actor }>;
  forget(keyId: number): void;
  forgetAll(): void;
}

export function createAuthenticator(db: Database, now: () => Date): Authenticator {
  const believed = new Map<string, Believed>();

  async function check(key: string): Promise<Believed> {
    const read = readApiKey(key);
    if (!read) throw unauthorized();
    const cacheKey = Buffer.from(read.hash).toString('base64');
    const at = now();
    const known = believed.get(cacheKey);
    if (known && known.until > at.getTime()) return known;
    const row = await db.apiKey.findUnique({ where: { prefix: read.prefix } });
    if (!row || !timingSafeEqual(row.hash, read.hash) || row.revokedAt) throw unauthorized();
    const fresh = {
      keyId: row.id,
      consumerId: row.consumerId,
      expiresAt: row.expiresAt,
      until: at.getTime() + BELIEVED_MS,
    };
    if (believed.size >= CACHE_MAX_KEYS) believed.clear();
    believed.set(cacheKey, fresh);
    if (!row.lastUsedAt || at.getTime() - row.lastUsedAt.getTime() > LAST_USED_STEP_MS) {
      await db.apiKey.update({ where: { id: row.id }, data: { lastUsedAt: at } });
    }
    return fresh;
  }

  return {
    async authenticate(authorization) {
      const [, key] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (key === undefined) throw unauthorized();
      const { keyId, consumerId, expiresAt } = await check(key);
      if (expiresAt && expiresAt <= now()) throw unauthorized();
      // Read anew each time: a suspension, a plan or a webhook that just changed is never stale.
      const consumer = await db.consumer.findUnique({ where: { id: consumerId } });
      if (!consumer) throw unauthorized();
      return { consumer, actor: { kind: 'apiKey', id: keyId } };
    },
    forget(keyId) {
      for (const [cacheKey, { keyId: held }] of believed) if (held === keyId) believed.delete(cacheKey);
    },
    forgetAll: () => believed.clear(),
  };
}
