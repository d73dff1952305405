/** The database client of a process, and the connections below it. */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.ts';
import type { Prisma } from './generated/client.ts';
import type { SqlPool } from './pool.ts';

export type Database = PrismaClient;
/** A client or an open transaction: the parameter type of read helpers and verbs. */
export type Tx = Prisma.TransactionClient;

/** Connections per process. PostgreSQL's default of 100 is then enough for every process of one machine. */
const POOL_CONNECTIONS = 15;
/** A statement that waits longer than this for a connection fails. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A new connection has to read the catalogue and to plan the functions of a call's step, so those of a busy minute are kept. */
const IDLE_CONNECTION_MS = 10 * 60_000;

export function createDatabase(url: string, options: { connections?: number } = {}): PrismaClient {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? POOL_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
  });
  // Without a listener, an idle connection that is lost would end the process. The next statement uses another one.
  pool.on('error', () => undefined);
  const database = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
  pools.set(database, pool);
  return database;
}
declare global {
  /** Global, because a bundler may load this module several times in a process: Next.js does for pages and for routes. */
  var clarionPools: WeakMap<Database, SqlPool> | undefined;
}
const pools = (globalThis.clarionPools ??= new WeakMap<Database, SqlPool>());

/** The connections of a database client, for statements without Prisma. */
export function poolOf(database: Database): SqlPool {
  const pool = pools.get(database);
  if (!pool) throw new Error('the database client was not created by createDatabase');
  return pool;
}
