/** A plain pool for what is not Prisma's: the socket server's fan-out, and the deliveries of events. */
import pg from 'pg';

export type SqlPool = pg.Pool;

/**
 * `onError` hears of every lost connection; without a listener such an error would end the process. `lockTimeoutMs`: a statement that
 * waits longer for a lock fails.
 */
export function createPool(
  databaseUrl: string,
  options: { connections: number; lockTimeoutMs?: number; onError: (error: Error) => void },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: options.connections,
    keepAlive: true,
    ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
  });
  const checkedOut = new Set<pg.PoolClient>();
  pool.on('error', options.onError);
  pool.on('acquire', (client) => checkedOut.add(client));
  pool.on('release', (_, client) => checkedOut.delete(client));
  pool.on('connect', (client) => {
    // A connection that is checked out when the server goes has only its own listeners …
    client.on('error', options.onError);
    // … and whoever holds it for long (the fan-out's listener) forgets to give its place back. A query that was cut off
    // gives it back by itself, in this same turn.
    client.once('end', () => {
      setImmediate(() => {
        if (checkedOut.has(client)) client.release(true);
      });
    });
  });
  return pool;
}
