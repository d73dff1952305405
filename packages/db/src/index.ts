/** The database: one Prisma client per process, its types, and the job catalogue. */
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';
import type { Prisma } from './generated/client.ts';

export * from './generated/client.ts';
export * from './jobs/catalogue.ts';
export { enqueue, removeJob } from './jobs/enqueue.ts';
export { PRIVATE_JOBS, PRIVATE_TASKS, privateJobs, privateTasks } from './jobs/private-tables.ts';
export { createPool } from './pool.ts';
export type { SqlPool } from './pool.ts';
export { createNotifiedCache } from './notified-cache.ts';
export type { NotifiedCache } from './notified-cache.ts';
export { createNotifier } from './notifier.ts';
export type { Notification, Notifier } from './notifier.ts';
export { notifyAfterCommit, transactionThenNotify } from './notify-after-commit.ts';
export { listen, NOTIFIED_WITHIN_MS, notify, notifyChannels } from './notify.ts';
export type { Listener, NotifyChannel } from './notify.ts';

/** A client or an open transaction: the parameter type of read helpers and verbs. */
export type Tx = Prisma.TransactionClient;

/** Connections per process. PostgreSQL's default of 100 is then enough for every process of one machine. */
const POOL_CONNECTIONS = 15;
/** A statement that waits longer than this for a connection fails. */
const CONNECT_TIMEOUT_MS = 5_000;

export function createDatabase(url: string, options: { connections?: number } = {}): PrismaClient {
  const adapter = new PrismaPg({
    connectionString: url,
    max: options.connections ?? POOL_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  return new PrismaClient({ adapter });
}
export type Database = PrismaClient;
