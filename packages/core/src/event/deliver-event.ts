/**
 * One delivery attempt of one event (spec, Delivery rules; design section 4).
 *
 * At least once: the POST comes first, then one transaction records the attempt, moves the event on and schedules the next
 * attempt. A worker killed in between leaves the job, and the same attempt is made again. Exactly one run of an attempt moves
 * the event on: the one that still finds it as it was loaded. Any other (its worker was believed dead, or the event was
 * redelivered meanwhile) only adds its line to the attempts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Event, Tx } from '@clarion/db';
import type { Logger } from 'pino';
import { EgressRefused } from '../egress/guard.ts';
import type { Egress } from '../egress/guard.ts';
import type { SecretBox } from '../security/secret-box.ts';
import { enqueueDelivery } from './enqueue-delivery.ts';
import { nextAttemptAt } from './schedule.ts';
import { signatureHeaders, signingSecrets } from './signature.ts';

export interface DeliveryContext {
  db: Database;
  secrets: SecretBox;
  egress: Egress;
  now: () => Date;
  log: Logger;
}

/** `superseded`: another run of this attempt, or a redelivery, is in charge. `skipped`: nothing was to be sent. */
export type DeliveryOutcome = 'delivered' | 'retrying' | 'failed' | 'discarded' | 'superseded' | 'skipped';

/** Spec, Limits: no answer within 10 seconds is a failure. */
const DELIVERY_TIMEOUT_MS = 10_000;
/** How much of an answer GET /v1/events shows. */
const SNIPPET_BYTES = 1_024;
const USER_AGENT = 'Clarion-Webhooks/1';
/** Waits between tries to record an attempt while the database is away: giving up means sending the event twice. */
const RECORD_RETRY_MS = [250, 500, 1_000, 2_000, 4_000];
const RECORD_LIMITS = { maxWait: 5_000, timeout: 15_000 };

/** How the attempt went, as its row says it. */
interface Attempt {
  at: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  responseSnippet: string | null;
}

export async function deliverEvent(ctx: DeliveryContext, eventId: string): Promise<DeliveryOutcome> {
  const event = await ctx.db.event.findUnique({ where: { eventId }, include: { consumer: true } });
  if (event?.status !== 'PENDING') return 'skipped';
  const { consumer } = event;
  const [secret, ...others] = signingSecrets(consumer, ctx.now()).map((sealed) =>
    ctx.secrets.open('webhook-secret', sealed),
  );
  if (consumer.webhookUrl === null || secret === undefined) return discard(ctx.db, event);

  const at = ctx.now();
  const headers = {
    'user-agent': USER_AGENT,
    ...signatureHeaders({ id: eventId, body: event.body, at }, [secret, ...others]),
  };
  const attempt = await post(ctx, consumer.webhookUrl, event.body, headers, at);
  return recordPatiently(ctx, event, attempt);
}

/** A try whose commit was not heard of does no harm to the next: that one finds the event moved on. */
async function recordPatiently(
  ctx: DeliveryContext,
  event: Event,
  attempt: Attempt,
): Promise<DeliveryOutcome> {
  for (const waitMs of RECORD_RETRY_MS) {
    try {
      return await record(ctx, event, attempt);
    } catch (error) {
      ctx.log.warn({ err: error, eventId: event.eventId }, 'could not record a delivery attempt yet');
      await sleep(waitMs);
    }
  }
  return record(ctx, event, attempt);
}

async function post(
  { egress, now }: DeliveryContext,
  url: string,
  body: string,
  headers: Record<string, string>,
  at: Date,
): Promise<Attempt> {
  const duration = () => Math.max(0, now().getTime() - at.getTime());
  try {
    const limits = { timeoutMs: DELIVERY_TIMEOUT_MS, maxBodyBytes: SNIPPET_BYTES };
    const { status, text } = await egress.post(url, { headers, body, ...limits });
    const error = isSuccess(status) ? null : `The endpoint answered ${status}.`;
    return { at, durationMs: duration(), status, error, responseSnippet: storable(text) };
  } catch (thrown) {
    return { at, durationMs: duration(), status: null, error: inWords(thrown), responseSnippet: null };
  }
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Records the attempt, moves the event on, and schedules what follows: together or not at all. */
function record(ctx: DeliveryContext, event: Event, attempt: Attempt): Promise<DeliveryOutcome> {
  const attemptCount = event.attemptCount + 1;
  const retryAt = isSuccess(attempt.status) ? null : nextAttemptAt(attemptCount, ctx.now());
  const status = isSuccess(attempt.status) ? 'DELIVERED' : retryAt ? 'PENDING' : 'FAILED';
  return ctx.db.$transaction(async (tx) => {
    const moved = await moveOn(tx, event, { status, attemptCount, nextAttemptAt: retryAt });
    const known = moved || (await tx.event.count({ where: { id: event.id } })) > 0;
    if (!known) return 'skipped'; // deleted with its call while it was on its way
    await tx.eventAttempt.create({ data: { eventRowId: event.id, ...attempt } });
    if (!moved) return 'superseded';
    if (retryAt) await enqueueDelivery(tx, event, retryAt);
    if (status === 'FAILED') ctx.log.warn({ eventId: event.eventId }, 'event given up');
    return status === 'PENDING' ? 'retrying' : status === 'DELIVERED' ? 'delivered' : 'failed';
  }, RECORD_LIMITS);
}

/** The webhook was removed after the event was recorded. */
async function discard(db: Database, event: Event): Promise<DeliveryOutcome> {
  const { attemptCount } = event;
  const moved = await moveOn(db, event, { status: 'DISCARDED', attemptCount, nextAttemptAt: null });
  return moved ? 'discarded' : 'superseded';
}

/** Changes the event if it is still as it was loaded: same attempt, and not redelivered since (that sets a new time). */
async function moveOn(
  tx: Tx,
  { id, attemptCount, nextAttemptAt }: Event,
  data: Pick<Event, 'status' | 'attemptCount' | 'nextAttemptAt'>,
): Promise<boolean> {
  const { count } = await tx.event.updateMany({
    where: { id, status: 'PENDING', attemptCount, nextAttemptAt },
    data,
  });
  return count > 0;
}

/** PostgreSQL takes no NUL in text. */
const storable = (text: string) => text.replaceAll('\0', '');

const NETWORK_ERRORS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the answer was whole.',
  UND_ERR_SOCKET: 'The connection was closed before the answer was whole.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be made in time.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is not from a known authority.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is not from a known authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate is not from a known authority.',
  ENOTFOUND: 'The host name is not known.',
  ENODATA: 'The host name has no address.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
};

/** For the consumer's eyes: what went wrong, with nothing of our own network in it. */
function inWords(error: unknown): string {
  if (error instanceof EgressRefused) return error.message;
  if (!(error instanceof Error)) return 'The request failed.';
  if (error.name === 'TimeoutError') return `No answer within ${DELIVERY_TIMEOUT_MS / 1000} seconds.`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return NETWORK_ERRORS[code] ?? `The request failed (${code}).`;
}
