/**
 * Whether other realtime nodes exist, by their rows (background/leases.ts): without them nothing has to be sent through the database.
 *
 * A node accepts sockets only when every other node that runs knows of it (`introduced`). So a node that is not known yet has no socket
 * that could miss a message.
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

/**
 * Whether a connection exists on which another node listens (its application_name is the node's ID). A node without one trusts nothing that it
 * has cached, and the row of a node that was killed has none. The names of connections of another role may be hidden.
 */
async function othersListen(db: Database, nodeId: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ listen: boolean }[]>`
    select exists (
      select from "RealtimeNode" n join pg_stat_activity a on a.application_name is null or a.application_name = n."id"
      where n."id" <> ${nodeId} and a.datid = (select oid from pg_database where datname = current_database())) as listen`;
  return row?.listen ?? true;
}

export function createOtherNodes(db: Database, nodeId: string, isCurrent: () => boolean): OtherNodes {
  const cache = createNotifiedCache<boolean>({ isCurrent, maxAgeMs: CACHE_MS });
  const read = async () => (await db.realtimeNode.count({ where: { id: { not: nodeId } } })) > 0;
  return {
    exist: () => cache.get('exist', read),
    async introduced() {
      if (await othersListen(db, nodeId)) await sleep(NOTIFIED_WITHIN_MS);
    },
    changed: () => cache.evict(() => true),
  };
}
