/**
 * Delivers many events to many consumers through real worker processes. Some endpoints are slow or dead, and one worker is killed
 * meanwhile. prove/events.ts runs it at full size, a test at a small one.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newWebhookSecret } from '@clarion/core/event/signature';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { endProcess, recordEvents, startWorkerProcess } from './delivery-load.ts';
import type { WorkerProcess } from './delivery-load.ts';
import { startWebhookReceiver } from '../peers/webhook-receiver.ts';
import type { WebhookReceiver } from '../peers/webhook-receiver.ts';

export interface StormPlan {
  events: number;
  healthy: number;
  /** Endpoints that read the request and never respond, so that every delivery takes its full 10 seconds. */
  slow: number;
  /** Endpoints that refuse the connection. */
  dead: number;
  /** The events are recorded evenly over this time. */
  seconds: number;
  /** When one of the two workers is killed and replaced. */
  killAtSecond: number;
}

export interface StormResult {
  recordedForHealthy: number;
  delivered: number;
  duplicates: number;
  unsigned: number;
  /** From recording to arrival at healthy endpoints, in ms. */
  medianMs: number;
  p99Ms: number;
  /** Deliveries that the killed worker had in flight (those to slow endpoints hang), and how long after the kill others continued them. */
  heldByKilled: number;
  /** Those of them to healthy endpoints: they may be sent twice. */
  inFlightToHealthy: number;
  continuedAfterKillMs: number;
  /** Events for slow and dead endpoints that are pending with exactly one job for the next attempt. */
  recordedForOthers: number;
  stillToCome: number;
  /** Deliveries that were sent to the slow endpoints. */
  slowAttempts: number;
}

/** Recorded together and therefore in flight together. A worker that is killed may cause this many duplicates. */
const BATCH = 5;
/** Time for all deliveries to arrive after the last event was recorded. */
const PATIENCE_MS = 45_000;

export async function deliveryStorm(databaseUrl: string, plan: StormPlan): Promise<StormResult> {
  const db = createDatabase(databaseUrl, { connections: 4 });
  const masterKey = randomBytes(32).toString('base64');
  const secret = newWebhookSecret();
  const sealed = createSecretBox([masterKey]).seal('webhook-secret', secret);
  const receivers = (count: number) =>
    Promise.all(Array.from({ length: count }, () => startWebhookReceiver({ secrets: [secret] })));
  const healthy = await receivers(plan.healthy);
  const slow = await receivers(plan.slow);
  for (const receiver of slow) receiver.answer('hang');
  const workers: WorkerProcess[] = [];
  const start = async () => workers.push(await startWorkerProcess({ databaseUrl, masterKey }));
  try {
    await start();
    const [doomed] = await db.workerNode.findMany({ where: { id: { startsWith: 'deliveries_' } } });
    await start();
    const urls = [...healthy, ...slow].map(({ url }) => url);
    for (let count = 0; count < plan.dead; count += 1) urls.push(await deadUrl());
    const consumers = await Promise.all(
      urls.map((webhookUrl) =>
        db.consumer.create({
          data: { slug: randomUUID(), name: 'storm', webhookUrl, webhookSecretSealed: sealed },
        }),
      ),
    );
    const ids = consumers.map(({ id }) => id);
    let killedAt = 0;
    const workerId = doomed?.id ?? '';
    let held: ClaimedEvent[] = [];
    let recovered = Promise.resolve(Number.NaN);
    const kill = sleep(plan.killAtSecond * 1_000).then(async () => {
      if (workers[0]) await endProcess(workers[0].child, 'SIGKILL');
      killedAt = Date.now();
      held = await claimedBy(db, workerId, ids.slice(0, plan.healthy));
      recovered = continuedAfter(db, healthy, { held, workerId }, killedAt);
      await start();
    });
    await recordEvenly(db, ids, plan);
    await kill;
    const recordedForHealthy = await db.event.count({
      where: { consumerId: { in: ids.slice(0, plan.healthy) } },
    });
    await allArrived(healthy, recordedForHealthy);
    const continuedAfterKillMs = await recovered;
    return {
      ...measured(healthy),
      heldByKilled: held.length,
      inFlightToHealthy: held.filter(({ isHealthy }) => isHealthy).length,
      continuedAfterKillMs,
      recordedForHealthy,
      ...(await others(db, ids.slice(plan.healthy))),
      slowAttempts: slow.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
    };
  } finally {
    await Promise.all(workers.map(({ child }) => endProcess(child, 'SIGKILL')));
    await Promise.all([...healthy, ...slow].map((receiver) => receiver.close()));
    await db.$disconnect();
  }
}

/** Records events for each consumer in turn. */
async function recordEvenly(db: Database, consumerIds: number[], { events, seconds }: StormPlan) {
  const startedAt = performance.now();
  for (let recorded = 0; recorded < events; recorded += BATCH) {
    const dueAt = startedAt + (recorded / events) * seconds * 1_000;
    const early = dueAt - performance.now();
    if (early > 0) await sleep(early);
    const consumerId = consumerIds[(recorded / BATCH) % consumerIds.length];
    if (consumerId !== undefined) await recordEvents(db, consumerId, Math.min(BATCH, events - recorded));
  }
}

const arrivedAt = (receivers: WebhookReceiver[]) =>
  new Set(receivers.flatMap(({ deliveries }) => deliveries.map(({ event }) => event.event_id))).size;

async function allArrived(receivers: WebhookReceiver[], count: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (arrivedAt(receivers) < count && performance.now() < deadline) await sleep(50);
  await sleep(1_000); // duplicates would arrive now
}

function measured(healthy: WebhookReceiver[]) {
  const deliveries = healthy.flatMap((receiver) => receiver.deliveries);
  const firsts = new Map<string, { recordedAt: number; receivedAt: number }>();
  for (const { event, receivedAt } of deliveries) {
    if (firsts.has(event.event_id)) continue;
    firsts.set(event.event_id, {
      recordedAt: Date.parse(event.occurred_at),
      receivedAt: receivedAt.getTime(),
    });
  }
  const waits = [...firsts.values()]
    .map(({ recordedAt, receivedAt }) => receivedAt - recordedAt)
    .toSorted((a, b) => a - b);
  const quantile = (share: number) =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? Number.NaN;
  return {
    delivered: firsts.size,
    duplicates: deliveries.length - firsts.size,
    unsigned: deliveries.filter(({ signatureValid }) => !signatureValid).length,
    medianMs: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}

interface ClaimedEvent {
  eventId: string;
  isHealthy: boolean;
}

/** Events whose deliveries a worker has claimed. */
async function claimedBy(db: Database, workerId: string, healthyIds: number[]): Promise<ClaimedEvent[]> {
  return db.$queryRaw`
    select e."eventId"::text as "eventId", e."consumerId" = any(${healthyIds}) as "isHealthy"
    from "EventDelivery" d join "Event" e on e."id" = d."eventRowId"
    where d."claimedBy" = ${workerId}`;
}

/**
 * The time until other workers could claim all of them and those to healthy endpoints arrived again; infinite if that took too long.
 * When a hanging endpoint is tried again depends on the few slots that it has.
 */
async function continuedAfter(
  db: Database,
  healthy: WebhookReceiver[],
  { held, workerId }: { held: ClaimedEvent[]; workerId: string },
  killedAt: number,
): Promise<number> {
  for (;;) {
    const arrivals = new Map(
      healthy
        .flatMap(({ deliveries }) => deliveries)
        .map(({ event, receivedAt }) => [event.event_id, receivedAt.getTime()]),
    );
    const waited = held.filter(({ isHealthy }) => isHealthy).map(({ eventId }) => arrivals.get(eventId) ?? 0);
    const free = (await claimedBy(db, workerId, [])).length === 0;
    if (free && waited.every((at) => at > killedAt)) return Math.max(Date.now(), ...waited) - killedAt;
    if (Date.now() > killedAt + PATIENCE_MS) return Number.POSITIVE_INFINITY;
    await sleep(100);
  }
}

async function others(db: Database, consumerIds: number[]) {
  const recordedForOthers = await db.event.count({ where: { consumerId: { in: consumerIds } } });
  const [row] = await db.$queryRaw<{ count: number }[]>`
    select count(*)::int from "Event" e
    join "EventDelivery" d on d."eventRowId" = e."id"
    where e."consumerId" = any(${consumerIds})`;
  return { recordedForOthers, stillToCome: row?.count ?? 0 };
}

/** A URL at which no server listens any more. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/hook`;
}

/** The failed requirements as text. */
export function stormComplaints(result: StormResult): string[] {
  const {
    recordedForHealthy,
    delivered,
    duplicates,
    inFlightToHealthy,
    unsigned,
    medianMs,
    continuedAfterKillMs,
  } = result;
  return [
    delivered < recordedForHealthy &&
      `${recordedForHealthy - delivered} of ${recordedForHealthy} events did not arrive`,
    duplicates > Math.max(inFlightToHealthy, recordedForHealthy * 0.001) &&
      `${duplicates} were sent twice (more than 0.1 %, and than the ${inFlightToHealthy} in flight at the kill)`,
    unsigned > 0 && `${unsigned} were not signed correctly`,
    medianMs >= 2_000 && `the median delay was ${medianMs} ms`,
    continuedAfterKillMs >= 30_000 &&
      `the killed worker's deliveries continued after ${continuedAfterKillMs} ms`,
    result.stillToCome < result.recordedForOthers &&
      `${result.recordedForOthers - result.stillToCome} events of slow and dead endpoints lead nowhere`,
  ].filter((complaint) => complaint !== false);
}
