/**
 * The database connections that carry socket messages between realtime nodes. The adapter (@socket.io/postgres-adapter) reconnects by
 * itself, but messages that were sent in the meantime or that it could not publish are lost.
 */
import { createPool } from '@clarion/db';
import { createAdapter } from '@socket.io/postgres-adapter';
import type { Logger } from 'pino';
import { withRetries } from '../lib/retry.ts';

/** The adapter's listener and its publications. */
const CONNECTIONS = 3;
/** The adapter names a notification channel after this prefix and the namespace. */
const CHANNEL_PREFIX = 'socket.io';
/** PostgreSQL accepts notifications of fewer than 8,000 bytes; the adapter stores a longer message in a table and sends its ID. */
const MAX_NOTIFICATION_BYTES = 7_999;

type Pool = ReturnType<typeof createPool>;

export interface FanOut {
  adapter: ReturnType<typeof createAdapter>;
  /** Resolves once this node receives notifications for the first time. */
  listening: Promise<void>;
  stop(): Promise<void>;
}

/** @param onListening called after every connection: until then this node may have missed messages of other nodes */
export function openFanOut(
  databaseUrl: string,
  { namespaces, log, onListening }: { namespaces: string[]; log: Logger; onListening: () => void },
): FanOut {
  const pool = createPool(databaseUrl, {
    connections: CONNECTIONS,
    onError: (error) => log.warn({ err: error }, 'fan-out lost a database connection'),
  });
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  /** The adapter calls this only for its listener. */
  const connect = async () => {
    const client = await pool.connect();
    // LISTEN precedes the reads of `onListening`: they contain every earlier change, and later ones are received.
    for (const namespace of namespaces) await client.query(`listen "${CHANNEL_PREFIX}#${namespace}"`);
    listens();
    setImmediate(onListening); // the adapter handles notifications once it has this client
    return client;
  };
  const query = (text: string, values: unknown[]) => withRetries(() => pool.query(text, values));
  // The adapter uses only these two methods of its pool.
  const adapter = createAdapter({ connect, query } as unknown as Pool, {
    channelPrefix: CHANNEL_PREFIX,
    payloadThreshold: MAX_NOTIFICATION_BYTES,
    errorHandler: (error) => log.warn({ err: error }, 'fan-out failed'),
  });
  return { adapter, listening, stop: () => pool.end() };
}
