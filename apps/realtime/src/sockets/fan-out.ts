/**
 * The database connections that carry socket messages between realtime nodes. The adapter (@socket.io/postgres-adapter) connects
 * again by itself, but what was sent until then is lost, and so is what it could not publish.
 */
import { createPool } from '@clarion/db';
import { createAdapter } from '@socket.io/postgres-adapter';
import type { Logger } from 'pino';
import { repeated } from '../engine/repeated.ts';

/** The adapter's listener and its publications. */
const CONNECTIONS = 3;
/** The adapter's: a notification channel is named after this and the namespace. */
const CHANNEL_PREFIX = 'socket.io';
/** PostgreSQL takes notifications of fewer than 8,000 bytes; the adapter keeps a longer message in a table and sends its id. */
const MAX_NOTIFICATION_BYTES = 7_999;

type Pool = ReturnType<typeof createPool>;

export interface FanOut {
  adapter: ReturnType<typeof createAdapter>;
  stop(): Promise<void>;
}

/** @param listensAgain after the connection was lost: sockets of this node may have missed messages from other nodes */
export function openFanOut(
  databaseUrl: string,
  { namespaces, log, listensAgain }: { namespaces: string[]; log: Logger; listensAgain: () => void },
): FanOut {
  const pool = createPool(databaseUrl, {
    connections: CONNECTIONS,
    onError: (error) => log.warn({ err: error }, 'the fan-out between nodes lost its connection'),
  });
  let hasListened = false;
  /** The adapter calls this for its listener alone. */
  const connect = async () => {
    const client = await pool.connect();
    // Listening before `listensAgain` reads: a later message is heard, an earlier one is in what it reads.
    for (const namespace of namespaces) await client.query(`listen "${CHANNEL_PREFIX}#${namespace}"`);
    if (hasListened) setImmediate(listensAgain);
    hasListened = true;
    return client;
  };
  const query = (text: string, values: unknown[]) => repeated(() => pool.query(text, values));
  const adapter = createAdapter({ connect, query } as unknown as Pool, {
    channelPrefix: CHANNEL_PREFIX,
    payloadThreshold: MAX_NOTIFICATION_BYTES,
    errorHandler: (error) => log.warn({ err: error }, 'fan-out failed'),
  });
  return { adapter, stop: () => pool.end() };
}
