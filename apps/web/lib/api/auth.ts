/**
 * Who calls: the API key of the Authorization header (spec, Authentication; design section 3). A key seen before costs no SQL:
 * key and account are kept in memory and forgotten when the database says that either changed.
 *
 * A row that was read before a change and arrives after it must not be kept: each forgetting begins a new generation, and what
 * was asked for in an older one is used for its own request and no other. While the database cannot be heard, nothing that is
 * kept is believed.
 */
import { timingSafeEqual } from 'node:crypto';
import { readApiKey } from '@clarion/core/consumer/api-key';
import type { ReadApiKey } from '@clarion/core/consumer/api-key';
import type { Actor } from '@clarion/core/context';
import type { ApiKey, Consumer, Database } from '@clarion/db';
import { unauthorized } from '@clarion/protocol';

/** Kept no longer than this, for the change that nobody was told of. */
const BELIEVED_MS = 5_000;
/** More keys in use at once than this and the cache starts over. */
const CACHE_MAX_KEYS = 10_000;

interface Known {
  keyId: number;
  consumer: Consumer;
  expiresAt: Date | null;
}
interface Kept extends Known {
  /** On the process's own clock. */
  until: number;
}
interface Loading {
  generation: number;
  known: Promise<Known>;
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
  const kept = new Map<string, Kept>();
  const loading = new Map<string, Loading>();
  let generation = 0;

  async function load({ prefix, hash }: ReadApiKey): Promise<Known> {
    const row = await findKey(prefix);
    if (!row || !timingSafeEqual(row.hash, hash) || row.revokedAt) throw unauthorized();
    return { keyId: row.id, consumer: row.consumer, expiresAt: row.expiresAt };
  }

  /** Requests that come while a key is being looked up wait for that, unless something has changed since it began. */
  async function loadOnce(name: string, read: ReadApiKey): Promise<Known> {
    const running = loading.get(name);
    if (running?.generation === generation) return running.known;
    const began: Loading = { generation, known: load(read) };
    loading.set(name, began);
    try {
      const known = await began.known;
      if (began.generation === generation && isCurrent()) {
        if (kept.size >= CACHE_MAX_KEYS) kept.clear();
        kept.set(name, { ...known, until: performance.now() + BELIEVED_MS });
      }
      return known;
    } finally {
      if (loading.get(name) === began) loading.delete(name);
    }
  }

  function believed(name: string): Known | null {
    const known = kept.get(name);
    return known && known.until > performance.now() && isCurrent() ? known : null;
  }

  function forget(which: (known: Known) => boolean): void {
    generation += 1;
    for (const [name, known] of kept) if (which(known)) kept.delete(name);
  }

  return {
    async authenticate(authorization) {
      const [, key] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      const read = key === undefined ? null : readApiKey(key);
      if (!read) throw unauthorized();
      // By the hash: the keys themselves do not lie about in memory.
      const name = Buffer.from(read.hash).toString('base64');
      const { keyId, consumer, expiresAt } = believed(name) ?? (await loadOnce(name, read));
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
