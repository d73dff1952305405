/**
 * Wakes the workers after events were recorded. A NOTIFY inside a transaction takes a lock of the whole database server at its commit, so it is sent
 * afterwards, for many transactions at once. A lost one does no harm: workers also look for due deliveries several times a second.
 */
import { notify, transactionThenNotify } from '@clarion/db';
import type { Database, Tx } from '@clarion/db';
import { TRANSACTION_LIMITS } from './transaction-limits.ts';

/** The events of all transactions that end within this time are announced together, ms. */
const ANNOUNCE_AFTER_MS = 20;

const recordedIn = new WeakSet<Tx>();
const scheduled = new WeakSet<Database>();

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

/** At most one notification per client and 20 ms. */
export function announceDeliveries(db: Database): void {
  if (scheduled.has(db)) return;
  scheduled.add(db);
  const announce = () => {
    scheduled.delete(db);
    // Without a notification the worker finds the deliveries when it polls.
    notify(db, 'clarion_delivery', '').catch(() => undefined);
  };
  setTimeout(announce, ANNOUNCE_AFTER_MS).unref();
}
