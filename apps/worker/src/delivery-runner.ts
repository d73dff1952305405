/**
 * One run of deliveries: claims due deliveries in batches, sends them within fair slots, records them in batches. The processes that record
 * events announce them, so they start within tens of milliseconds; a retry starts when it is due.
 *
 * When the connection fails, the database may have assigned deliveries to this run without the run learning of it. So a run whose claim
 * failed reports it (`faulted`), finishes what it has started, releases everything it has still claimed, and is replaced by another run
 * (supervise.ts).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { attemptDelivery } from '@clarion/core/event/attempt-delivery';
import { claimDeliveries, releaseDeliveries } from '@clarion/core/event/claim-deliveries';
import type { DueEvent } from '@clarion/core/event/delivery';
import type { Made, Recorded } from '@clarion/core/event/record-attempts';
import { listen } from '@clarion/db';
import { createAttemptRecorder } from './attempt-recorder.ts';
import type { FairSlots } from './fair-slots.ts';
import { InFlightDeliveries, MAX_IN_FLIGHT, MAX_SLOT_WAIT_MS } from './in-flight-deliveries.ts';
import { startHeartbeat } from './heartbeat.ts';
import { Pause } from './pause.ts';
import { RetryAlarm } from './retry-alarm.ts';
import type { Run } from './supervise.ts';
import type { TaskContext } from './tasks/index.ts';

/** Polling interval without announcements: for retries that another worker scheduled, and for events that were not announced. */
const POLL_MS = 500;
/**
 * Minimum time between two claims: the first event after a pause is sent at once, and what arrives in between is claimed together, because a
 * claim costs more than a delivery. Shorter while there is a backlog.
 */
const CLAIM_GAP_MS = 100;
const BACKLOG_CLAIM_GAP_MS = 5;
/**
 * A claim of at least this many is one of a backlog, and so is one after which a consumer had no more capacity. With a fixed pause, a backlog
 * was delivered at the rate of what a claim may take.
 */
const BACKLOG_CLAIM = 50;
/** A claim waits until it may claim at least this many, because batches are what makes claims cheap. */
const CLAIM_MIN = 300;
/** A delivery that could not be started (its secret cannot be decrypted) is retried after this. The cause is a bug or a missing key. */
const UNSENDABLE_RETRY_MS = 60_000;
/** How long running deliveries may take to end (10 seconds at most) and to be recorded. */
const STOP_LIMIT_MS = 20_000;

export async function startDeliveryRunner(
  databaseUrl: string,
  ctx: TaskContext,
  slots: FairSlots,
): Promise<Run> {
  const { sql, db, log } = ctx;
  const workerId = `deliveries_${randomUUID()}`;
  const heartbeat = await startHeartbeat(db, workerId, log);
  const fault = Promise.withResolvers<Error>();
  const inFlight = new InFlightDeliveries(slots);
  let stopping = false;
  let claiming = false;
  let claimAgain = false;
  const pause = new Pause(BACKLOG_CLAIM_GAP_MS);
  const retries = new RetryAlarm(() => void claim());

  const recorder = createAttemptRecorder({
    sql,
    log,
    onRecorded: settled,
    onFailed: (error) => fault.resolve(asError(error)),
  });

  function settled({ due }: Made, recorded: Recorded | null): void {
    if (inFlight.settle(due)) claimMore();
    else if (claimAgain) void claim();
    if (recorded) ctx.deliveries.inc({ outcome: recorded.outcome });
    if (recorded?.outcome === 'failed')
      log.warn({ eventId: due.eventId }, 'event delivery failed after the last attempt');
    if (recorded?.retryAt) retries.set(recorded.retryAt, ctx.now());
  }

  function claimMore(): void {
    pause.shorten();
    void claim();
  }

  /** Claims while there are due deliveries and capacity. Runs once at a time; a call during a run causes one more run. */
  async function claim(): Promise<void> {
    claimAgain = true;
    if (claiming || stopping) return;
    claiming = true;
    try {
      while (claimAgain && !stopping && MAX_IN_FLIGHT - inFlight.count >= CLAIM_MIN) {
        claimAgain = false;
        const limits = inFlight.limits();
        const { due, more } = await claimDeliveries(sql, workerId, limits);
        const hasRoom = inFlight.add(due, limits, performance.now());
        send();
        claimAgain ||= more || hasRoom;
        await pause.wait(due.length < BACKLOG_CLAIM ? CLAIM_GAP_MS : BACKLOG_CLAIM_GAP_MS);
      }
    } catch (error) {
      fault.resolve(asError(error));
    } finally {
      claiming = false;
    }
  }

  function send(): void {
    while (!stopping) {
      const due = inFlight.next();
      if (!due) return;
      void sendOne(due);
    }
  }

  async function sendOne(due: DueEvent): Promise<void> {
    const startedAt = performance.now();
    const attempt = await attemptDelivery(ctx, due).catch((error: unknown) => asError(error));
    if (inFlight.sent(due, performance.now() - startedAt)) claimMore();
    if (attempt instanceof Error) {
      log.error({ err: attempt, eventId: due.eventId }, 'failed to send an event');
      await release([due], UNSENDABLE_RETRY_MS);
    } else recorder.add({ due, attempt });
    send();
  }

  async function release(deliveries: DueEvent[], retryInMs: number | null = null): Promise<void> {
    try {
      if (deliveries.length > 0) await releaseDeliveries(sql, workerId, deliveries, retryInMs);
    } catch (error) {
      fault.resolve(asError(error));
    }
    for (const due of deliveries) inFlight.settle(due);
  }

  const poll = setInterval(() => {
    inFlight.forgetIdle();
    void release(inFlight.removeWaiting(performance.now() - MAX_SLOT_WAIT_MS)).then(claim);
  }, POLL_MS);
  const announcements = listen(
    databaseUrl,
    { clarion_delivery: () => void claim() },
    { onConnect: () => void claim() },
  );

  return {
    faulted: fault.promise,
    async stop() {
      stopping = true;
      clearInterval(poll);
      retries.stop();
      await announcements.stop();
      await release(inFlight.removeWaiting());
      const sent = async () => {
        while (claiming) await sleep(10);
        // What was claimed meanwhile.
        await release(inFlight.removeWaiting());
        while (inFlight.sending > 0) await sleep(10);
        await recorder.idle();
      };
      await Promise.race([sent(), sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
      await heartbeat.stop();
    },
  };
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
