/**
 * The trunks to which INVITEs may belong, cached in memory by ingress host or source address. A trigger notifies every node of a changed trunk;
 * while notifications cannot be received, trunks are read. Repeated INVITEs of an unknown source cost no statement either.
 */
import { createNotifiedCache } from '@clarion/db';
import { loadTrunks } from '../call-store/load-invite.ts';
import type { CandidateTrunk } from '../call-store/load-invite.ts';
import type { RunStatement } from '../call-store/step-sql.ts';

/** The longest time that trunks are cached, in case a notification is missed. */
const CACHE_MS = 60_000;

export interface TrunkCache {
  /** As `loadTrunks`. */
  find(run: RunStatement, ingressLabel: string | null, source: string): Promise<readonly CandidateTrunk[]>;
  /** Whether it is cached that no trunk has this source address. */
  hasNone(source: string): boolean;
  evictAll(): void;
}

/** @param isCurrent whether notifications of changes are being received */
export function createTrunkCache(isCurrent: () => boolean): TrunkCache {
  const cache = createNotifiedCache<readonly CandidateTrunk[]>({ isCurrent, maxAgeMs: CACHE_MS });
  return {
    find: (run, ingressLabel, source) =>
      cache.get(ingressLabel === null ? sourceKey(source) : `host ${ingressLabel}`, () =>
        loadTrunks(run, ingressLabel, source),
      ),
    hasNone: (source) => cache.peek(sourceKey(source))?.length === 0,
    evictAll: () => cache.evict(() => true),
  };
}

const sourceKey = (source: string): string => `source ${source}`;
