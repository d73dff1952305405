/** A pool without Prisma: for the socket server's fan-out, and for event deliveries. */
import pg from 'pg';

export type SqlPool = pg.Pool;
export type SqlConnection = pg.PoolClient;

/**
 * `onError` is called for every lost connection; without a listener such an error would terminate the process. `lockTimeoutMs`: a statement
 * that waits longer for a lock fails.
 */
export function createPool(
  databaseUrl: string,
  options: { connections: number; lockTimeoutMs?: number; onError: (error: Error) => void },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: options.connections,
    keepAlive: true,
    // Statistics may be of a moment when the tables were different (docs/decisions/delivery-state.md).
    options: '-c plan_cache_mode=force_generic_plan',
    ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
  });
  const checkedOut = new Set<pg.PoolClient>();
  pool.on('error', options.onError);
  pool.on('acquire', (client) => checkedOut.add(client));
  pool.on('release', (_, client) => checkedOut.delete(client));
  pool.on('connect', (client) => {
    // A connection that is checked out when the server disconnects has only its own listeners …
    client.on('error', options.onError);
    // … and code that holds it for long (the fan-out's listener) does not release it. After an interrupted query the pool releases it in
    // the same turn of the event loop.
    client.once('end', () => {
      setImmediate(() => {
        if (checkedOut.has(client)) client.release(true);
      });
    });
  });
  return pool;
}
