/**
 * Notifications that a transaction sends when it has committed, with those of other transactions in one statement, instead of committing
 * under PostgreSQL's lock for notifications. If the process dies in between, they are not sent: only for changes that whoever listens
 * also finds periodically.
 */
import type { Prisma, PrismaClient } from './generated/client.ts';
import { createNotifier } from './notifier.ts';
import type { Notification, Notifier } from './notifier.ts';
import { notify } from './notify.ts';
import type { NotifyChannel } from './notify.ts';

const afterCommit = new WeakMap<Prisma.TransactionClient, Notification[]>();
const notifiers = new WeakMap<PrismaClient, Notifier>();

/** Runs `work` in a transaction, and sends its `notifyAfterCommit` before it resolves. */
export async function transactionThenNotify<T>(
  db: PrismaClient,
  work: (tx: Prisma.TransactionClient) => Promise<T>,
  limits: { maxWait?: number; timeout?: number },
): Promise<T> {
  const notifications: Notification[] = [];
  const result = await db.$transaction((tx) => {
    afterCommit.set(tx, notifications);
    return work(tx);
  }, limits);
  // The change is committed and is found without a notification that could not be sent.
  await Promise.allSettled(notifications.map((each) => notifierOf(db).notify(each)));
  return result;
}

/** In a transaction of `transactionThenNotify`; in any other it is sent with the commit. */
export async function notifyAfterCommit(
  tx: Prisma.TransactionClient,
  channel: NotifyChannel,
  payload: number | bigint,
): Promise<void> {
  const notifications = afterCommit.get(tx);
  if (notifications) notifications.push({ channel, payload: String(payload) });
  else await notify(tx, channel, payload);
}

/** About a change that is already committed. Resolves when it was sent, together with others. */
export const notifyCommitted = (
  db: PrismaClient,
  channel: NotifyChannel,
  payload: number | bigint,
): Promise<void> => notifierOf(db).notify({ channel, payload: String(payload) });

function notifierOf(db: PrismaClient): Notifier {
  const known = notifiers.get(db);
  if (known) return known;
  const notifier = createNotifier((batch) => {
    const channels = batch.map(({ channel }) => channel);
    const payloads = batch.map(({ payload }) => payload);
    return db.$executeRaw`
      select pg_notify("channel", "payload")
      from unnest(${channels}::text[], ${payloads}::text[]) as "n"("channel", "payload")`;
  });
  notifiers.set(db, notifier);
  return notifier;
}
