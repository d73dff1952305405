/** Authenticated credentials, cached in memory and evicted when the database notifies a change. */
import { createNotifiedCache } from '@clarion/db';
import type { NotifiedCache } from '@clarion/db';

/** The longest time that a credential is cached, in case a notification is missed. */
const CACHE_MS = 5_000;

export const createCredentialCache = <T extends object>(isCurrent: () => boolean): NotifiedCache<T> =>
  createNotifiedCache<T>({ isCurrent, maxAgeMs: CACHE_MS });
