/**
 * One run of push notifications: claims those that are due, opens the connections to their providers, marks them as being sent, sends them
 * and records the results, in batches and independently of event deliveries. Steps of calls announce them, so a device is woken within
 * tens of milliseconds; a retry starts when it is due.
 *
 * When a statement fails, the run reports it (`faulted`), finishes what it is sending, releases the rest, and is replaced by another run
 * (supervise.ts).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginSending,
  claimPushes,
  releasePushes,
  SEND_LIMIT_MS,
} from '@clarion/core/push/deliver/claim-pushes';
import { requestOf } from '@clarion/core/push/deliver/due-push';
import type { DuePush, PushRequest } from '@clarion/core/push/deliver/due-push';
import { endOverduePushes, recordPushes, recordTokens } from '@clarion/core/push/deliver/record-pushes';
import type { AttemptedPush } from '@clarion/core/push/deliver/record-pushes';
import type { PushResult } from '@clarion/core/push/push-message';
import type { PushSender } from '@clarion/core/push/send/push-sender';
import type { SecretBox } from '@clarion/core/security/secret-box';
import { listen } from '@clarion/db';
import type { SqlPool } from '@clarion/db';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { createBatches } from './batches.ts';
import { InFlightPushes } from './in-flight-pushes.ts';
import { RetryAlarm } from './retry-alarm.ts';
import type { Run } from './supervise.ts';

export interface PushContext {
  /** Connections of its own, so that push notifications do not wait for deliveries. */
  sql: SqlPool;
  sender: PushSender;
  secrets: SecretBox;
  pushes: Counter<'provider' | 'outcome'>;
  log: Logger;
  now: () => Date;
}

/** Polling interval without announcements: for retries, for what another worker left, and for what has expired. */
const POLL_MS = 500;
/** Minimum time between two claims. */
const CLAIM_GAP_MS = 10;
/** A connection to a provider that takes longer is awaited by the send, which has a deadline. Less than CLAIM_MS. */
const PREPARE_LIMIT_MS = 2_000;
/** How long notifications that are ready are collected before they are marked as being sent. */
const BEGIN_GAP_MS = 5;
/** How long results are collected before they are recorded. */
const RECORD_GAP_MS = 20;
const BATCH_MAX = 300;
/** Delays between attempts to record while the database is unavailable. A result that is never recorded is UNKNOWN. */
const RECORD_RETRY_MS = [250, 500, 1_000, 2_000, 4_000];
/** How long running attempts may take to end (SEND_LIMIT_MS at most) and to be recorded. */
const STOP_LIMIT_MS = 20_000;

interface Ready {
  due: DuePush;
  request: PushRequest;
}

export async function startPushRunner(databaseUrl: string, ctx: PushContext): Promise<Run> {
  const { sql, sender, secrets, log } = ctx;
  const workerId = `pushes_${randomUUID()}`;
  const fault = Promise.withResolvers<Error>();
  const inFlight = new InFlightPushes();
  const retries = new RetryAlarm(() => void claim());
  let stopping = false;
  let claiming = false;
  let claimAgain = false;

  const begins = createBatches<Ready>({ max: BATCH_MAX, gapMs: BEGIN_GAP_MS, run: begin });
  const records = createBatches<AttemptedPush>({ max: BATCH_MAX, gapMs: RECORD_GAP_MS, run: record });

  /** Claims while there are due notifications and capacity. Runs once at a time; a call during a run causes one more run. */
  async function claim(): Promise<void> {
    claimAgain = true;
    if (claiming || stopping) return;
    claiming = true;
    try {
      for (let limits = inFlight.limits(); claimAgain && !stopping && limits; limits = inFlight.limits()) {
        claimAgain = false;
        const { due, cancelled, more } = await claimPushes(sql, workerId, limits);
        inFlight.add(due);
        for (const one of due) void prepare(one);
        for (const { provider } of cancelled) ctx.pushes.inc({ provider, outcome: 'cancelled' });
        claimAgain ||= more;
        await sleep(CLAIM_GAP_MS);
      }
    } catch (error) {
      fault.resolve(asError(error));
    } finally {
      claiming = false;
    }
  }

  async function prepare(due: DuePush): Promise<void> {
    let request: PushRequest | null;
    try {
      request = requestOf(due, secrets, ctx.now());
    } catch (error) {
      log.error({ err: error, pushId: due.pushId, callId: due.callId }, 'failed to read a push notification');
      return records.add({ due, result: failed('UnreadableSecret') });
    }
    if (request === null) return records.add({ due, result: failed('NoCredentials') });
    await Promise.race([
      sender.prepare(request.credentials, request.to),
      sleep(PREPARE_LIMIT_MS, undefined, { ref: false }),
    ]);
    begins.add({ due, request });
  }

  async function begin(ready: Ready[]): Promise<void> {
    const all = ready.map(({ due }) => due);
    if (stopping) return release(all);
    try {
      const left = await beginSending(sql, workerId, all);
      const others = ready.filter(({ due, request }) => {
        const leftMs = left.get(due.rowId);
        if (leftMs !== undefined) void send(due, request, leftMs);
        return leftMs === undefined;
      });
      await release(others.map(({ due }) => due));
    } catch (error) {
      fault.resolve(asError(error));
      for (const due of all) settle(due);
    }
  }

  async function send(
    due: DuePush,
    { credentials, to, message }: PushRequest,
    leftMs: number,
  ): Promise<void> {
    const startedAt = performance.now();
    const deadline = new Date(ctx.now().getTime() + Math.min(leftMs, SEND_LIMIT_MS));
    const result = await sender.send(credentials, to, message, deadline);
    inFlight.attempted(due.consumerId, performance.now() - startedAt);
    records.add({ due, result });
  }

  async function record(attempted: AttemptedPush[]): Promise<void> {
    try {
      await recordOnce(attempted);
    } catch (error) {
      log.warn({ err: error, pushes: attempted.length }, 'failed to record push notifications, will retry');
      await Promise.all(attempted.map(recordWithRetries));
    }
  }

  /** If a commit succeeded without our learning of it, repeating it changes nothing. */
  async function recordOnce(attempted: AttemptedPush[]): Promise<void> {
    const recorded = await recordPushes(sql, workerId, attempted);
    await recordTokens(sql, attempted);
    attempted.forEach(({ due }, index) => {
      const { status = null, retryInMs = null } = recorded[index] ?? {};
      const outcome = status === 'PENDING' ? 'retrying' : status?.toLowerCase();
      if (outcome !== undefined) ctx.pushes.inc({ provider: due.provider, outcome });
      if (retryInMs !== null) retries.set(new Date(ctx.now().getTime() + retryInMs), ctx.now());
      settle(due);
    });
    // A withdrawal waits for the result of its call.
    void claim();
  }

  async function recordWithRetries(attempted: AttemptedPush): Promise<void> {
    for (const waitMs of RECORD_RETRY_MS) {
      await sleep(waitMs);
      try {
        return await recordOnce([attempted]);
      } catch (error) {
        log.warn({ err: error, pushId: attempted.due.pushId }, 'failed to record a push notification');
      }
    }
    settle(attempted.due);
    fault.resolve(new Error('a push notification could not be recorded'));
  }

  async function release(pushes: DuePush[]): Promise<void> {
    try {
      if (pushes.length > 0) await releasePushes(sql, workerId, pushes);
    } catch (error) {
      fault.resolve(asError(error));
    }
    for (const due of pushes) settle(due);
  }

  function settle({ consumerId }: DuePush): void {
    if (inFlight.settle(consumerId)) void claim();
  }

  async function endOverdue(): Promise<void> {
    for (const { provider, status } of await endOverduePushes(sql))
      ctx.pushes.inc({ provider, outcome: status.toLowerCase() });
  }

  // Fails if the database is unavailable, so that the run is started again later.
  await endOverdue();
  let polling = false;
  const poll = setInterval(() => {
    void claim();
    if (polling) return;
    polling = true;
    endOverdue()
      .catch((error: unknown) => fault.resolve(asError(error)))
      .finally(() => {
        polling = false;
      });
  }, POLL_MS);
  const announcements = listen(
    databaseUrl,
    { clarion_push: () => void claim() },
    { onConnect: () => void claim() },
  );

  return {
    faulted: fault.promise,
    async stop() {
      stopping = true;
      clearInterval(poll);
      retries.stop();
      await announcements.stop();
      const finished = async () => {
        while (claiming || inFlight.count > 0) await sleep(10);
        await Promise.all([begins.idle(), records.idle()]);
      };
      await Promise.race([finished(), sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
    },
  };
}

const failed = (reason: string): PushResult => ({ outcome: 'failed', httpStatus: null, reason });

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
