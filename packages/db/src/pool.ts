/** A plain pool for what is not Prisma's: the socket server's fan-out. */
import pg from 'pg';

/** `onError` hears of every lost connection; without a listener such an error would end the process. */
export function createPool(
  databaseUrl: string,
  options: { connections: number; onError: (error: Error) => void },
): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: options.connections, keepAlive: true });
  pool.on('error', options.onError);
  // A connection that is checked out when the server goes has only its own listeners.
  pool.on('connect', (client) => client.on('error', options.onError));
  return pool;
}
