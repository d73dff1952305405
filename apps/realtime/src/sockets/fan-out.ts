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
  /** Resolves once this node hears the others for the first time. */
  listening: Promise<void>;
  stop(): Promise<void>;
}

/** @param onListening after every connection: sockets of this node may have missed messages of other nodes until then */
export function openFanOut(
  databaseUrl: string,
  { namespaces, log, onListening }: { namespaces: string[]; log: Logger; onListening: () => void },
): FanOut {
  const pool = createPool(databaseUrl, {
    connections: CONNECTIONS,
    onError: (error) => log.warn({ err: error }, 'fan-out connection lost'),
  });
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  /** The adapter calls this for its listener alone. */
  const connect = async () => {
    const client = await pool.connect();
    // Listening before `onListening` reads: a later message is heard, an earlier one is in what it reads.
    for (const namespace of namespaces) await client.query(`listen "${CHANNEL_PREFIX}#${namespace}"`);
    listens();
    setImmediate(onListening); // the adapter takes notifications once it has this client
    return client;
  };
  const query = (text: string, values: unknown[]) => repeated(() => pool.query(text, values));
  // The adapter uses these two methods of its pool and no other.
  const adapter = createAdapter({ connect, query } as unknown as Pool, {
    channelPrefix: CHANNEL_PREFIX,
    payloadThreshold: MAX_NOTIFICATION_BYTES,
    errorHandler: (error) => log.warn({ err: error }, 'fan-out failed'),
  });
  return { adapter, listening, stop: () => pool.end() };
}
