/**
 * Sends notifications outside of transactions, those of a few milliseconds in one statement. PostgreSQL commits transactions that notify
 * one after the other, under a lock of the whole server; a notification that need not be sent with its change is sent here, and whoever
 * listens for it also checks for the change periodically.
 */

/** For how long notifications are collected after the first one. */
const COLLECT_MS = 2;
/** Notifications in one statement. */
const MAX_BATCH = 500;

export interface Notification {
  channel: string;
  payload: string;
}

export interface Notifier {
  /** Resolves when it was sent; rejects if that failed. */
  notify(notification: Notification): Promise<void>;
  /** Resolves when the latest notification was sent, and with it all earlier ones; rejects if that failed. */
  sent(): Promise<void>;
}

interface Batch {
  notifications: Notification[];
  /** PostgreSQL delivers equal notifications of one transaction once, in the place of the first. */
  keys: Set<string>;
  sent: Promise<void>;
}

/**
 * In order: a batch is sent when the one before it is done.
 *
 * @param send sends a batch; repeats what failed
 */
export function createNotifier(send: (batch: readonly Notification[]) => Promise<unknown>): Notifier {
  /** Still collecting; null: the next notification begins a batch. */
  let open: Batch | null = null;
  let last: Promise<void> = Promise.resolve();

  function begin(): Batch {
    const previous = last;
    const batch: Batch = { notifications: [], keys: new Set(), sent: Promise.resolve() };
    batch.sent = (async () => {
      await Promise.all([previous.catch(() => undefined), delay()]);
      if (open === batch) open = null;
      await send(batch.notifications);
    })();
    // Callers that do not wait for it are not interested in its failure, which `send` reports.
    batch.sent.catch(() => undefined);
    last = batch.sent;
    return batch;
  }

  return {
    notify(notification) {
      const key = `${notification.channel} ${notification.payload}`;
      if (!open || open.keys.has(key) || open.notifications.length >= MAX_BATCH) open = begin();
      open.keys.add(key);
      open.notifications.push(notification);
      return open.sent;
    },
    sent: () => last,
  };
}

const delay = () => new Promise<void>((resolve) => setTimeout(resolve, COLLECT_MS));
