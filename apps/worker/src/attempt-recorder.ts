/**
 * Records attempts in batches: those that end within a few milliseconds share a statement. The time is short, because a killed worker leaves
 * these attempts unrecorded, and they are made again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { recordAttempts } from '@clarion/core/event/record-attempts';
import type { Made, Recorded } from '@clarion/core/event/record-attempts';
import type { SqlPool } from '@clarion/db';
import type { Logger } from 'pino';

const BATCH_MAX = 300;
/** How long attempts are collected before they are recorded. */
const BATCH_GAP_MS = 20;
/** Delays between attempts to record while the database is unavailable. An attempt that is never recorded is sent twice. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000];

export interface AttemptRecorder {
  add(made: Made): void;
  /** Resolves when nothing is left to record. */
  idle(): Promise<void>;
}

export function createAttemptRecorder(options: {
  sql: SqlPool;
  log: Logger;
  /** Null: recording failed permanently. */
  onRecorded: (made: Made, recorded: Recorded | null) => void;
  /** The deliveries of attempts that could not be recorded are still claimed. */
  onFailed: (error: unknown) => void;
}): AttemptRecorder {
  const { sql, log, onRecorded, onFailed } = options;
  let waiting: Made[] = [];
  let running: Promise<void> | null = null;

  const drain = async () => {
    while (waiting.length > 0) {
      if (waiting.length < BATCH_MAX) await sleep(BATCH_GAP_MS);
      await recordBatch(takeBatch());
    }
    running = null;
  };

  /** After a redelivery an event may be waiting twice: its second attempt is written with the next batch. */
  const takeBatch = (): Made[] => {
    const batch = new Map<string, Made>();
    const later: Made[] = [];
    for (const made of waiting) {
      if (batch.size < BATCH_MAX && !batch.has(made.due.rowId)) batch.set(made.due.rowId, made);
      else later.push(made);
    }
    waiting = later;
    return [...batch.values()];
  };

  /** The attempts of a failed batch are recorded one by one, so that one bad record does not affect the others. */
  const recordBatch = async (batch: Made[]): Promise<void> => {
    try {
      const recorded = await recordAttempts(sql, batch);
      batch.forEach((made, index) => onRecorded(made, recorded[index] ?? null));
    } catch (error) {
      log.warn({ err: error, events: batch.length }, 'failed to record delivery attempts, will retry');
      await Promise.all(batch.map(recordWithRetries));
    }
  };

  /** If a commit succeeded without our learning of it, repeating it is harmless: the event has changed and is not updated again. */
  const recordWithRetries = async (made: Made): Promise<void> => {
    for (const [index, waitMs] of RETRY_MS.entries()) {
      await sleep(waitMs);
      try {
        const [recorded] = await recordAttempts(sql, [made]);
        return onRecorded(made, recorded ?? null);
      } catch (error) {
        if (index < RETRY_MS.length - 1) continue;
        log.error({ err: error, eventId: made.due.eventId }, 'failed to record a delivery attempt');
        onRecorded(made, null);
        onFailed(error);
      }
    }
  };

  return {
    add(made) {
      waiting.push(made);
      running ??= drain();
    },
    async idle() {
      while (running) await running;
    },
  };
}
