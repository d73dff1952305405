/**
 * Wakes the workers after events were recorded. A NOTIFY inside a transaction takes a lock of the whole database server at its commit, so it is sent
 * afterwards, for many transactions at once. A lost one does no harm: workers also look for due deliveries several times a second.
 */
import { poolOf, transactionThenNotify } from '@clarion/db';
import type { Database, Tx } from '@clarion/db';
import { TRANSACTION_LIMITS } from './transaction-limits.ts';

/** The events of all transactions that end within this time are announced together, ms. */
const ANNOUNCE_AFTER_MS = 20;
/** Between two announcements: a worker claims what is due this often anyway (CLAIM_GAP_MS in apps/worker/src/delivery-runner.ts). */
const ANNOUNCE_EVERY_MS = 100;

const ANNOUNCE = { name: 'announce-deliveries', text: `select pg_notify('clarion_delivery', '')` };

const recordedIn = new WeakSet<Tx>();
const scheduled = new WeakSet<Database>();
/** When each client announced last: `performance.now`. */
const announcedAt = new WeakMap<Database, number>();

/** A delivery was created in this transaction. */
export const markRecorded = (tx: Tx): void => void recordedIn.add(tx);

/** Runs `work` in a transaction. After the commit, sends its notifications and announces the deliveries that it created. */
export async function transact<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  limits: { maxWait?: number; timeout?: number } = TRANSACTION_LIMITS,
): Promise<T> {
  let created = false;
  const recording = async (tx: Tx) => {
    const value = await work(tx);
    created = recordedIn.has(tx);
    return value;
  };
  const result = await transactionThenNotify(db, recording, limits);
  if (created) announceDeliveries(db);
  return result;
}

/** At most one notification per client and 100 ms; the first one after a pause is sent after 20 ms. */
export function announceDeliveries(db: Database): void {
  if (scheduled.has(db)) return;
  scheduled.add(db);
  const announce = () => {
    scheduled.delete(db);
    announcedAt.set(db, performance.now());
    // Without a notification the worker finds the deliveries when it polls.
    poolOf(db)
      .query(ANNOUNCE)
      .catch(() => undefined);
  };
  const next = (announcedAt.get(db) ?? -Infinity) + ANNOUNCE_EVERY_MS;
  setTimeout(announce, Math.max(ANNOUNCE_AFTER_MS, next - performance.now())).unref();
}
