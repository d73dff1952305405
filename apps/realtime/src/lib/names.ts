/**
 * Names of agents, queues and channels, cached in memory. Triggers notify every node of a new name; while notifications cannot be
 * received, names are read.
 */
import { createNotifiedCache } from '@clarion/db';
import type { Database } from '@clarion/db';
import type { AgentName, ChannelName, Names, QueueName } from '../deps.ts';
import { batchedReads } from './batched-reads.ts';

/** The longest time that a name is cached, in case a notification is missed. */
const CACHE_MS = 60_000;

interface NameCache<T> {
  get(id: number): Promise<T | null>;
  evict(id: number): void;
  evictAll(): void;
}

export interface CachedNames extends Names {
  renamed: Record<'agent' | 'queue' | 'channel', (id: number) => void>;
  evictAll(): void;
}

export function createNames(db: Database, isCurrent: () => boolean): CachedNames {
  const agents = cached<AgentName>(isCurrent, (ids) =>
    db.agent.findMany({ where: { id: { in: ids } }, select: { id: true, ref: true, name: true } }),
  );
  const queues = cached<QueueName>(isCurrent, (ids) =>
    db.queue.findMany({ where: { id: { in: ids } }, select: { id: true, ref: true, name: true } }),
  );
  const channels = cached<ChannelName>(isCurrent, (ids) =>
    db.channel.findMany({
      where: { id: { in: ids } },
      select: { id: true, address: true, displayName: true },
    }),
  );
  return {
    agent: agents.get,
    queue: queues.get,
    channel: channels.get,
    renamed: { agent: agents.evict, queue: queues.evict, channel: channels.evict },
    evictAll() {
      for (const cache of [agents, queues, channels]) cache.evictAll();
    },
  };
}

function cached<T extends { id: number }>(
  isCurrent: () => boolean,
  readMany: (ids: number[]) => Promise<T[]>,
): NameCache<T> {
  const cache = createNotifiedCache<T | null>({ isCurrent, maxAgeMs: CACHE_MS });
  const read = batchedReads(readMany);
  return {
    get: (id) => cache.get(String(id), () => read(id)),
    evict: (id) => cache.evict((_, key) => key === String(id)),
    evictAll: () => cache.evict(() => true),
  };
}
