/**
 * Wakes the workers after events or push notifications were recorded. A NOTIFY inside a transaction takes a lock of the whole database server
 * at its commit, so it is sent afterwards, for many transactions at once. A lost one does no harm: workers also look for what is due several
 * times a second.
 */
import { poolOf, transactionThenNotify } from '@clarion/db';
import type { Database, Tx } from '@clarion/db';
import { TRANSACTION_LIMITS } from './transaction-limits.ts';

/** Between two announcements: a worker claims what is due this often anyway (CLAIM_GAP_MS in apps/worker/src/delivery-runner.ts). */
const ANNOUNCE_EVERY_MS = 100;

/** What a process records for the workers, and how it is announced to them. */
const announcements = {
  deliveries: { name: 'announce-deliveries', text: `select pg_notify('clarion_delivery', '')` },
  pushes: { name: 'announce-pushes', text: `select pg_notify('clarion_push', '')` },
} as const;
type Recorded = keyof typeof announcements;

/**
 * What is recorded by all transactions that end within this time is announced together, ms: a worker claims, sends and records together what
 * was announced together, for example the events of a call that is answered at once. A push rings a phone, so it waits less.
 */
const ANNOUNCE_AFTER_MS: Record<Recorded, number> = { deliveries: 50, pushes: 20 };

const recordedIn = new WeakMap<Tx, Set<Recorded>>();
/** What each client will announce, and when it announced it last: `performance.now`. */
const announcers = {
  deliveries: { scheduled: new WeakSet<Database>(), last: new WeakMap<Database, number>() },
  pushes: { scheduled: new WeakSet<Database>(), last: new WeakMap<Database, number>() },
} satisfies Record<Recorded, unknown>;

/** Deliveries or push notifications were created in this transaction. */
export function markRecorded(tx: Tx, what: Recorded = 'deliveries'): void {
  recordedIn.set(tx, (recordedIn.get(tx) ?? new Set<Recorded>()).add(what));
}

/** Runs `work` in a transaction. After the commit, sends its notifications and announces what it created for the workers. */
export async function transact<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  limits: { maxWait?: number; timeout?: number } = TRANSACTION_LIMITS,
): Promise<T> {
  const created = new Set<Recorded>();
  const recording = async (tx: Tx) => {
    const value = await work(tx);
    for (const what of recordedIn.get(tx) ?? []) created.add(what);
    return value;
  };
  const result = await transactionThenNotify(db, recording, limits);
  for (const what of created) announce(db, what);
  return result;
}

export const announceDeliveries = (db: Database): void => announce(db, 'deliveries');

/** At most one notification of each kind per client and 100 ms; the first one after a pause is sent after ANNOUNCE_AFTER_MS. */
export function announce(db: Database, what: Recorded): void {
  const { scheduled, last } = announcers[what];
  if (scheduled.has(db)) return;
  scheduled.add(db);
  const announceNow = () => {
    scheduled.delete(db);
    last.set(db, performance.now());
    // Without a notification the worker finds what is due when it polls.
    poolOf(db)
      .query(announcements[what])
      .catch(() => undefined);
  };
  const next = (last.get(db) ?? -Infinity) + ANNOUNCE_EVERY_MS;
  setTimeout(announceNow, Math.max(ANNOUNCE_AFTER_MS[what], next - performance.now())).unref();
}
