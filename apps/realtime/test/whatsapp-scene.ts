/** Realtime nodes between a media node without media and the simulator of Meta, whose webhooks are stored as the web process stores them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutboundIntent } from '@clarion/core/call-engine/begin';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { acceptWhatsAppWebhook } from '@clarion/core/whatsapp/accept-webhook';
import type { Agent, Call, Channel, Prisma } from '@clarion/db';
import { silentMedia, startMetaSimulator } from '@clarion/meta-simulator';
import type { Behaviour, CallState, CallView, MetaSimulator } from '@clarion/meta-simulator';
import { MASTER_KEY, RealtimeFixture } from './fixture.ts';

const TOKEN = 'EAAB-test';
const NUMBERS = 40;
const FIRST_NUMBER = 4_366_667_195_000;
const FIRST_CUSTOMER = 15_550_001_000;
const EVENT_LIMIT_MS = 15_000;
const PLACED_LIMIT_MS = 10_000;

export class WhatsAppScene {
  readonly fixture: RealtimeFixture;
  readonly meta: MetaSimulator;
  readonly accessToken = TOKEN;
  readonly #webhook: ReturnType<typeof createServer>;
  #lines = 0;
  #customers = 0;

  private constructor(
    fixture: RealtimeFixture,
    meta: MetaSimulator,
    webhook: ReturnType<typeof createServer>,
  ) {
    this.fixture = fixture;
    this.meta = meta;
    this.#webhook = webhook;
  }

  static async open(): Promise<WhatsAppScene> {
    const fixture = await RealtimeFixture.create();
    const webhook = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const query = new URL(request.url ?? '', 'http://localhost').searchParams;
        if (request.method === 'GET') return response.end(query.get('hub.challenge'));
        acceptWhatsAppWebhook(
          { db: fixture.db, now: new Date() },
          JSON.parse(Buffer.concat(chunks).toString()),
          null,
        )
          .then(() => response.end())
          .catch(() => response.writeHead(500).end());
      });
    });
    webhook.listen(0, '127.0.0.1');
    await once(webhook, 'listening');
    const meta = await startMetaSimulator({
      webhookUrl: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`,
      appSecret: 'app secret',
      verifyToken: 'verify',
      accessTokens: [TOKEN],
      numbers: Array.from({ length: NUMBERS }, (_, index) => ({ phoneNumberId: phoneNumberIdOf(index) })),
      port: 0,
      controlPort: null,
      media: silentMedia(),
      timeouts: { ringingAfterMs: 1 },
    });
    await meta.verified;
    return new WhatsAppScene(fixture, meta, webhook);
  }

  async close(): Promise<void> {
    await this.meta.close();
    this.#webhook.close();
    this.#webhook.closeAllConnections();
    await this.fixture.close();
  }

  startNode(...[settings, ...rest]: Parameters<RealtimeFixture['startNode']>) {
    return this.fixture.startNode({ graphUrl: this.meta.url, ...settings }, ...rest);
  }

  /** With a number of its own at Meta. */
  async line(data: Partial<Prisma.ChannelUncheckedCreateInput> = {}): Promise<Channel> {
    const providerAccountId = phoneNumberIdOf(this.#lines);
    this.#lines += 1;
    const sealed = JSON.stringify({ access_token: TOKEN });
    return this.fixture.line({
      type: 'WHATSAPP',
      sipTrunkId: null,
      providerAccountId,
      credentialsSealed: createSecretBox([MASTER_KEY]).seal('channel-credentials', sealed),
      ...data,
    });
  }

  /** @returns the digits of the number */
  customer(behaviour: Partial<Behaviour> = {}): string {
    this.#customers += 1;
    const waId = String(FIRST_CUSTOMER + this.#customers);
    this.meta.control.addCustomer({ waId, name: 'Ana', behaviour });
    return waId;
  }

  /** A new customer calls the line. */
  async ring(line: Channel, customer = this.customer()): Promise<CallView> {
    return this.meta.control.placeCall(customer, line.providerAccountId ?? '');
  }

  /** Our call of the customer's call. */
  async callOf({ customer }: Pick<CallView, 'customer'>): Promise<Call> {
    return this.fixture.until(
      async () =>
        (await this.fixture.db.call.findFirst({
          where: { customerAddress: `+${customer}` },
          orderBy: { id: 'desc' },
        })) ?? undefined,
      `a call of ${customer}`,
    );
  }

  /** Waits until the call at Meta is in this state. */
  async reaches({ id }: Pick<CallView, 'id'>, state: CallState): Promise<CallView> {
    const entry = await this.meta.control.journal.when(
      (one) => one.type === 'call' && one.call.id === id && one.call.state === state,
      EVENT_LIMIT_MS,
    );
    if (entry.type !== 'call') throw new Error('not a call');
    return entry.call;
  }

  /** How often the action was requested from Meta since `since`. */
  requests(action: string, since = 0): number {
    const { entries } = this.meta.control.journal;
    return entries.filter((one) => one.seq > since && one.type === 'request' && one.action === action).length;
  }

  /** Waits for the request, which is recorded after its effect. */
  async requested(action: string, since: number): Promise<void> {
    const { journal } = this.meta.control;
    await journal.when(
      (one) => one.seq > since && one.type === 'request' && one.action === action,
      EVENT_LIMIT_MS,
    );
  }

  get lastSeq(): number {
    return this.meta.control.journal.entries.at(-1)?.seq ?? 0;
  }

  /** An outbound call to the customer, who has allowed calls unless `allowed` is false. */
  async intent(agent: Agent, line: Channel, customer: string, allowed = true): Promise<Call> {
    if (allowed) this.meta.control.decidePermission(customer, 'accept', line.providerAccountId ?? '');
    const address = `+${customer}`;
    return this.fixture.db.$transaction((tx) =>
      createOutboundIntent(
        tx,
        {
          consumerId: this.fixture.consumer.id,
          tenantId: this.fixture.tenant.id,
          agent,
          channel: line,
          sipTrunkId: null,
          customer: { address, addressType: 'WHATSAPP_USER', name: null },
          record: false,
          pricing: { number: null, routes: [] },
          mediaPath: 'ROOM',
          dial: { provider: 'WHATSAPP', channelId: line.id, address },
          externalRef: null,
          consumerMetadata: null,
        },
        new Date(),
      ),
    );
  }

  /** The call at Meta that a call of ours placed. */
  async placedTo(customer: string): Promise<CallView> {
    const entry = await this.meta.control.journal.when(
      (one) =>
        one.type === 'call' && one.call.customer === customer && one.call.direction === 'BUSINESS_INITIATED',
      PLACED_LIMIT_MS,
    );
    if (entry.type !== 'call') throw new Error('not a call');
    return entry.call;
  }
}

const phoneNumberIdOf = (index: number): string => String(FIRST_NUMBER + index);
