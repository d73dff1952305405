/** A real database and a real endpoint, to which events of a fresh account are delivered. */
import { randomUUID } from 'node:crypto';
import { createPool } from '@clarion/db';
import type { Database, Event, SqlPool } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { deliverNow } from '@clarion/testkit/load/deliver-now';
import { startWebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import type { WebhookReceiver } from '@clarion/testkit/peers/webhook-receiver';
import { pino } from 'pino';
import { createEgress } from '../../egress/guard.ts';
import type { Egress } from '../../egress/guard.ts';
import { createSecretBox } from '../../security/secret-box.ts';
import { presentOneEvent } from '../present-events.ts';
import { newWebhookSecret } from '../signature.ts';

/** Claims every delivery that is due. */
export const ANY = { count: 1_000, fullConsumers: [], room: new Map(), roomOfOthers: 1_000 };
/** An attempt that failed. */
export const failedAttempt = {
  ...{ at: new Date(), durationMs: 1, status: 500, error: 'no', responseSnippet: null },
};

export class DeliveryScene {
  readonly db: Database;
  readonly sql: SqlPool;
  readonly secrets = createSecretBox([Buffer.alloc(32, 7).toString('base64')]);
  readonly secret = newWebhookSecret();
  readonly egress: Egress = createEgress({ allowPrivate: true });
  receiver!: WebhookReceiver;
  consumerId!: number;
  now!: Date;
  readonly #test: TestDatabase;

  private constructor(test: TestDatabase) {
    this.#test = test;
    this.db = test.connect();
    this.sql = createPool(test.url, { connections: 6, onError: () => undefined });
  }

  static async open(): Promise<DeliveryScene> {
    return new DeliveryScene(await createTestDatabase());
  }

  async close(): Promise<void> {
    await this.egress.close();
    await this.sql.end();
    await this.#test.drop();
  }

  /** Before each test: an account with an endpoint of its own. */
  async newAccount(): Promise<void> {
    this.now = new Date();
    this.receiver = await startWebhookReceiver({ secrets: [this.secret] });
    const consumer = await this.db.consumer.create({
      data: {
        slug: `c-${randomUUID()}`,
        name: 'Acme',
        webhookUrl: this.receiver.url,
        webhookSecretSealed: this.secrets.seal('webhook-secret', this.secret),
      },
    });
    this.consumerId = consumer.id;
  }

  /** Makes the attempt that is due, as a worker does. */
  deliver(event: Event, egress = this.egress) {
    const { db, sql, secrets } = this;
    const log = pino({ level: 'silent' });
    return deliverNow({ db, sql, secrets, egress, log, now: () => this.now }, event);
  }

  /** An event as stored by record-event, with its delivery. */
  async recordEvent(): Promise<Event> {
    const { consumerId, now } = this;
    const eventId = randomUUID();
    const body = JSON.stringify({
      event_id: eventId,
      event_type: 'call.ended',
      data: { call: { customer: { name: 'Zoë – “ok” 🎉' } } },
      occurred_at: now.toISOString(),
      tenant_ref: 't1',
      api_version: '1',
      sequence: 1,
    });
    return this.db.event.create({
      data: {
        eventId,
        consumerId,
        tenantRef: 't1',
        type: 'call.ended',
        body,
        occurredAt: now,
        delivery: { create: { consumerId, dueAt: now } },
      },
    });
  }

  /** The event as it is presented, and the state of its delivery. */
  async stored(event: Event) {
    const row = await this.db.event.findUniqueOrThrow({
      where: { id: event.id },
      include: { delivery: true },
    });
    const { status, attempts } = await presentOneEvent(this.db, row);
    return {
      status,
      attempts,
      nextAttemptAt: row.delivery?.dueAt ?? null,
      attemptCount: row.delivery?.attemptCount ?? null,
    };
  }

  /** Until a connection of this database waits for a lock. */
  async waitsForLock(): Promise<void> {
    for (;;) {
      const [row] = await this.db.$queryRaw<{ waiting: boolean }[]>`select exists (
        select 1 from pg_stat_activity where datname = current_database() and "wait_event_type" = 'Lock') as "waiting"`;
      if (row?.waiting) return;
    }
  }
}
