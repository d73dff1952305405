/**
 * Waits for the calls of a node that is to stop, and for their recordings (docs/decisions/draining-media.md). A call cannot move to another
 * node: its audio and its dialogs are in this process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';

/** For how long after its last call the node waits for another: a realtime node may have chosen this one before it knew. */
const LATE_CALLS_MS = 1_000;
const LOG_EVERY_MS = 10_000;
const CHECK_RECORDINGS_MS = 250;

export interface Draining {
  calls: Pick<Calls, 'legCount' | 'ended'>;
  /** Resolves when each INVITE that waits for a decision has become a leg or been rejected. */
  invitesDecided: () => Promise<void>;
  /** Recordings that are not yet stored or not yet reported. They would be finished by the next node on this disk only. */
  recordings: () => number;
  limitMs: number;
  log: Logger;
  lateCallsMs?: number;
}

/** @returns whether the calls have ended, and their recordings are stored, within the limit */
export async function waitForCalls(draining: Draining): Promise<boolean> {
  const { calls, recordings, limitMs, log } = draining;
  const untilMs = performance.now() + limitMs;
  const logProgress = () => {
    const secondsLeft = Math.round((untilMs - performance.now()) / 1_000);
    log.info(
      { legs: calls.legCount, recordings: recordings(), secondsLeft },
      'draining: waiting for the calls to end',
    );
  };
  logProgress();
  const progress = setInterval(logProgress, LOG_EVERY_MS);
  const limit = new AbortController();
  try {
    return await Promise.race([
      everythingEnded(draining).then(() => true),
      sleep(limitMs, false, { signal: limit.signal }),
    ]);
  } finally {
    clearInterval(progress);
    limit.abort();
  }
}

async function everythingEnded(draining: Draining): Promise<void> {
  const { calls, invitesDecided, recordings, lateCallsMs = LATE_CALLS_MS } = draining;
  do {
    await invitesDecided();
    await calls.ended();
    await sleep(lateCallsMs);
    while (recordings() > 0) await sleep(CHECK_RECORDINGS_MS);
  } while (calls.legCount > 0);
}
