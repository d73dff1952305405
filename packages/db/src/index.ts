/** The database: one Prisma client per process, its types, and the job catalogue. */
export * from './generated/client.ts';
export * from './jobs/catalogue.ts';
export { enqueue, removeJob } from './jobs/enqueue.ts';
export { privateJobs } from './jobs/private-tables.ts';
export { runPrepared } from './run-prepared.ts';
export { createDatabase, poolOf } from './database.ts';
export type { Database, Tx } from './database.ts';
export { copyInto, copyLine } from './copy.ts';
export { createPool } from './pool.ts';
export type { SqlConnection, SqlPool } from './pool.ts';
export { createNotifiedCache } from './notified-cache.ts';
export type { NotifiedCache } from './notified-cache.ts';
export { createNotifier } from './notifier.ts';
export type { Notification, Notifier } from './notifier.ts';
export { notifyAfterCommit, notifyCommitted, transactionThenNotify } from './notify-after-commit.ts';
export { listen, NOTIFIED_WITHIN_MS, notify, notifyChannels } from './notify.ts';
export type { Listener, NotifyChannel } from './notify.ts';
