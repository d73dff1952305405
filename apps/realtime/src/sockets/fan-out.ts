/**
 * Carries socket messages between realtime nodes over the database. A message reaches the sockets of this node immediately; it is
 * published only while other nodes exist, together with others of the same milliseconds and in order.
 *
 * The adapter (@socket.io/postgres-adapter) reconnects by itself, but messages that were sent in the meantime or that it could not
 * publish are lost.
 */
import { createNotifier, createPool } from '@clarion/db';
import type { Notification, Notifier, SqlConnection } from '@clarion/db';
import { createAdapter } from '@socket.io/postgres-adapter';
import type { Logger } from 'pino';
import { withRetries } from '../lib/retry.ts';
import type { OtherNodes } from './other-nodes.ts';

/** The adapter's listener and its publications. */
const CONNECTIONS = 3;
/** The adapter names a notification channel after this prefix and the namespace. */
const CHANNEL_PREFIX = 'socket.io';
/** PostgreSQL accepts notifications of fewer than 8,000 bytes; the adapter stores a longer message in a table and sends its ID. */
const MAX_NOTIFICATION_BYTES = 7_999;
/** How the adapter publishes a message; with another statement each message would be published on its own, whether nodes exist or not. */
const PUBLISH = 'SELECT pg_notify($1, $2)';
/** How a published broadcast begins (MessageType.BROADCAST of socket.io-adapter). Heartbeats and requests are always published. */
const BROADCAST = '{"type":3,';

type Pool = ReturnType<typeof createPool>;

export interface FanOut {
  adapter: ReturnType<typeof createAdapter>;
  /** Resolves once this node receives notifications for the first time. */
  listening: Promise<void>;
  /** Resolves when the latest message, and with it all earlier ones, was published to the other nodes; rejects if that failed. */
  published(): Promise<void>;
  stop(): Promise<void>;
}

export interface FanOutOptions {
  namespaces: string[];
  log: Logger;
  otherNodes: OtherNodes;
  /** Called after every connection: until then this node may have missed messages of other nodes. */
  onListening: () => void;
}

export function openFanOut(
  databaseUrl: string,
  { namespaces, log, otherNodes, onListening }: FanOutOptions,
): FanOut {
  const pool = createPool(databaseUrl, {
    connections: CONNECTIONS,
    onError: (error) => log.warn({ err: error }, 'fan-out lost a database connection'),
  });
  const listeners = new Set<SqlConnection>();
  pool.on('release', (_, client) => listeners.delete(client));
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  const publications = createNotifier((batch) => publish(pool, batch, otherNodes));
  /** The adapter calls this only for its listener. */
  const connect = async () => {
    const client = await pool.connect();
    listeners.add(client);
    // LISTEN precedes the reads of `onListening`: they contain every earlier change, and later ones are received.
    for (const namespace of namespaces) await client.query(`listen "${CHANNEL_PREFIX}#${namespace}"`);
    listens();
    setImmediate(onListening); // the adapter handles notifications once it has this client
    return client;
  };
  const failed = (error: unknown) => log.warn({ err: error }, 'fan-out failed');
  // The adapter delivers a message to the sockets of this node when its publication resolves, so that does not wait for the database.
  const query = async (text: string, values: unknown[]) =>
    text === PUBLISH ? enqueue(publications, values, failed) : withRetries(() => pool.query(text, values));
  // The adapter uses only these two methods of its pool.
  const adapter = createAdapter({ connect, query } as unknown as Pool, {
    channelPrefix: CHANNEL_PREFIX,
    payloadThreshold: MAX_NOTIFICATION_BYTES,
    errorHandler: failed,
  });
  return {
    adapter,
    listening,
    published: () => publications.sent(),
    async stop() {
      await publications.sent().catch(() => undefined);
      // An adapter that was connecting when it was closed keeps its connection, and the pool would wait for it.
      for (const client of listeners) client.release(true);
      await pool.end();
    },
  };
}

function enqueue(publications: Notifier, values: unknown[], failed: (error: unknown) => void): void {
  const [channel, payload] = values.map(String);
  publications.notify({ channel: channel ?? '', payload: payload ?? '' }).catch(failed);
}

async function publish(pool: Pool, batch: readonly Notification[], otherNodes: OtherNodes): Promise<void> {
  // Whether nodes exist is unknown while the database cannot be read: then everything is sent when it can be written.
  const exist = await otherNodes.exist().catch(() => true);
  const sent = exist ? batch : batch.filter(({ payload }) => !payload.startsWith(BROADCAST));
  if (sent.length === 0) return;
  await withRetries(() =>
    pool.query(
      'select pg_notify("channel", "payload") from unnest($1::text[], $2::text[]) as "n"("channel", "payload")',
      [sent.map(({ channel }) => channel), sent.map(({ payload }) => payload)],
    ),
  );
}
