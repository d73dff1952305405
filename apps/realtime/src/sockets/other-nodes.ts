/**
 * Whether other realtime nodes exist, by their rows (background/leases.ts): without them nothing has to be sent through the database.
 *
 * A node accepts sockets only when every other node knows of it (`introduced`). So a node that is not known yet has no socket that could
 * miss a message.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createNotifiedCache, NOTIFIED_WITHIN_MS } from '@clarion/db';
import type { Database } from '@clarion/db';

/** The longest time for which the answer is cached, in case a notification is missed. */
const CACHE_MS = 5_000;

export interface OtherNodes {
  exist(): Promise<boolean>;
  /** Resolves when the other nodes have been notified of this one, which has just been registered. */
  introduced(): Promise<void>;
  /** A node was registered or removed, or such a notification may have been missed. */
  changed(): void;
}

export function createOtherNodes(db: Database, nodeId: string, isCurrent: () => boolean): OtherNodes {
  const cache = createNotifiedCache<boolean>({ isCurrent, maxAgeMs: CACHE_MS });
  const read = async () => (await db.realtimeNode.count({ where: { id: { not: nodeId } } })) > 0;
  return {
    exist: () => cache.get('exist', read),
    async introduced() {
      if (await read()) await sleep(NOTIFIED_WITHIN_MS);
    },
    changed: () => cache.evict(() => true),
  };
}
