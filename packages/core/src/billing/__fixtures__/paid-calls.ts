/** Calls that a tenant's and a consumer's billing account pay for, on a clock of their own: created, connected, extended and ended as the service does. */
import { randomUUID } from 'node:crypto';
import type { Agent, BillingAccount, Consumer, Database, Prisma, SipTrunk, Tenant } from '@clarion/db';
import { createCallBody } from '@clarion/protocol/v1/call/calls';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { apiContext } from '../../__fixtures__/api-context.ts';
import { carrierTrunk } from '../../call-engine/__fixtures__/carrier-trunk.ts';
import { createInboundCall } from '../../call-engine/create-inbound-call.ts';
import { stepCall } from '../../call-engine/step-call.ts';
import { createCall } from '../../call/create-call.ts';
import type { Ctx } from '../../context.ts';
import { book } from '../book.ts';
import { extendCredit } from '../extend-credit.ts';

export const LINE = '+442079460001';
const CUSTOMER = '+447700900456';
const START = new Date('2026-03-02T10:00:00.000Z').getTime();
const OPENED = new Date('2026-01-01T00:00:00.000Z');

export interface FlatPrice {
  flatRate: string;
  initialSeconds: number;
  incrementSeconds: number;
}
type Owner = 'TENANT' | 'CONSUMER';

export class PaidCalls {
  readonly db: Database;
  readonly consumer: Consumer;
  readonly tenant: Tenant;
  readonly agents: Agent[];
  readonly trunk: SipTrunk;
  /** Milliseconds since the epoch. */
  now = START;

  private constructor(db: Database, made: Pick<PaidCalls, 'consumer' | 'tenant' | 'agents' | 'trunk'>) {
    this.db = db;
    this.consumer = made.consumer;
    this.tenant = made.tenant;
    this.agents = made.agents;
    this.trunk = made.trunk;
  }

  /** With a tenant of its own, so that several are independent of each other. */
  static async create(db: Database, agents = 1): Promise<PaidCalls> {
    const name = randomUUID().slice(0, 8);
    const consumer = await db.consumer.create({
      data: { slug: name, name, planCallsAtOnce: 1_000, planOutboundPerMinute: 100_000 },
    });
    const tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
    const trunk = await carrierTrunk(db, null, { name, ingressLabel: name });
    await db.agent.createMany({
      data: Array.from({ length: agents }, (_, index) => ({
        tenantId: tenant.id,
        ref: `agent-${index}`,
        name: `Agent ${index}`,
      })),
    });
    const queue = await db.queue.create({
      data: { tenantId: tenant.id, ref: 'sales', name: 'Sales', answerWhileWaiting: true },
    });
    const address = { address: LINE, sipTrunkId: trunk.id };
    await db.channel.create({
      data: { tenantId: tenant.id, ref: 'main', type: 'SIP', ...address, inboundQueueId: queue.id },
    });
    const rows = await db.agent.findMany({ where: { tenantId: tenant.id }, orderBy: { id: 'asc' } });
    return new PaidCalls(db, { consumer, tenant, agents: rows, trunk });
  }

  /** Opens the account, and prices its calls; null: they cost it nothing. */
  async open(
    owner: Owner,
    price: FlatPrice | null,
    account: Partial<Prisma.BillingAccountUncheckedCreateInput> = {},
  ): Promise<BillingAccount> {
    const { db, consumer, tenant } = this;
    if (price) await this.setPrice(owner, price);
    const { balance, ...columns } = account;
    const { id } = await db.billingAccount.create({
      data: {
        consumerId: consumer.id,
        owner,
        ...(owner === 'TENANT' && { tenantId: tenant.id, tenantRef: tenant.ref }),
        mode: 'PREPAID',
        currency: 'USD',
        invoiceDueDays: 15,
        createdAt: OPENED,
        ...columns,
      },
    });
    if (balance !== undefined) await this.change(owner, String(balance));
    return db.billingAccount.findUniqueOrThrow({ where: { id } });
  }

  async setPrice(owner: Owner, price: FlatPrice): Promise<void> {
    const { db, consumer, tenant } = this;
    const plan = await db.pricePlan.create({
      data: {
        consumerId: owner === 'TENANT' ? consumer.id : null,
        name: randomUUID(),
        currency: 'USD',
        items: { create: { kind: 'CALL', method: 'FLAT', position: 0, ...price } },
      },
    });
    const data = { pricePlanId: plan.id };
    if (owner === 'TENANT') await db.tenant.update({ where: { id: tenant.id }, data });
    else await db.consumer.update({ where: { id: consumer.id }, data });
  }

  /** Books an adjustment. */
  async change(owner: Owner, amount: string): Promise<void> {
    if (Number(amount) === 0) return;
    const { id } = await this.account(owner);
    const entry = {
      kind: 'ADJUSTMENT',
      amount,
      source: `adjustment:${randomUUID()}`,
      description: null,
    } as const;
    await book(this.db, id, entry, new Date(this.now));
  }

  account(owner: Owner): Promise<BillingAccount> {
    return this.db.billingAccount.findFirstOrThrow({ where: { consumerId: this.consumer.id, owner } });
  }

  /** Balance and reserved amount, as decimal text. */
  async funds(owner: Owner): Promise<[balance: string, reserved: string]> {
    const { balance, reserved } = await this.account(owner);
    return [balance.toFixed(), reserved.toFixed()];
  }

  async context(): Promise<Ctx> {
    const consumer = await this.db.consumer.findUniqueOrThrow({ where: { id: this.consumer.id } });
    return apiContext(this.db, consumer, new Date(this.now));
  }

  /** @throws what POST …/calls answers */
  async create(agent = 0): Promise<number> {
    const body = createCallBody.parse({
      channel_ref: 'main',
      agent_ref: `agent-${agent}`,
      customer: { address: CUSTOMER },
    });
    return (await createCall(await this.context(), 't', body)).callId;
  }

  /** @param trunkId that carries the call */
  async connect(callId: number, agent = 0, trunkId = this.trunk.id): Promise<void> {
    const agentId = this.agents[agent]?.id ?? 0;
    const legId = `agent-of-${callId}`;
    await this.step(callId, { type: 'start', agentId, deviceId: 'd', legId, mediaNodeId: 'm' });
    await this.step(callId, { type: 'leg-connected', legId, codec: 'opus' });
    // The times of a call increase, so the customer's answer is the third millisecond.
    this.now += 10;
    const customer = { legId: `call-${callId}-customer`, codec: 'PCMA', trunkId };
    await this.step(callId, { type: 'leg-connected', ...customer });
  }

  async dial(agent = 0): Promise<number> {
    const callId = await this.create(agent);
    await this.connect(callId, agent);
    return callId;
  }

  /** A call to the line. */
  async arrive() {
    const request = inviteRequest({
      requestUser: LINE,
      inviteId: randomUUID(),
      requestHost: `${this.trunk.ingressLabel}.sip.test`,
    });
    const context = { db: this.db, ingressDomain: 'sip.test', nodeId: 'n' };
    return (await createInboundCall(context, request, new Date(this.now))).answer;
  }

  async step(callId: number, event: Parameters<typeof stepCall>[2]): Promise<void> {
    await stepCall(this.db, callId, event, new Date(this.now));
  }

  /** What the realtime nodes do for a call whose paid time ends. @returns until when it is paid for */
  async extend(callId: number): Promise<number | null> {
    const end = (await extendCredit(this.db, [callId], new Date(this.now))).get(callId) ?? null;
    if (end !== null && end <= this.now)
      await stepCall(this.db, callId, { type: 'credit-exhausted' }, new Date(end));
    return end;
  }

  /** Lets the clock run until this time, and does what falls due meanwhile at the moment at which it does. */
  async runUntil(callId: number, until: number): Promise<void> {
    for (;;) {
      const end = await this.extend(callId);
      if (end === null || end <= this.now || this.now >= until) return;
      this.now = Math.min(until, end);
    }
  }

  async hangUp(callId: number): Promise<void> {
    await this.step(callId, { type: 'terminate' });
  }

  async usage(callId: number) {
    const row = await this.db.usageRecord.findFirstOrThrow({ where: { callId, kind: 'CALL' } });
    return {
      connectedSeconds: row.connectedSeconds,
      billedSeconds: row.billedSeconds,
      tenantCharge: row.tenantCharge?.toFixed() ?? null,
      platformCost: row.platformCost?.toFixed() ?? null,
    };
  }

  async endOf(callId: number): Promise<string | null> {
    return (await this.db.call.findUniqueOrThrow({ where: { id: callId } })).terminationReason;
  }

  async isTalking(callId: number): Promise<boolean> {
    const live = await this.db.liveCall.findUnique({ where: { callId } });
    return (live?.state as { phase?: string } | undefined)?.phase === 'talking';
  }

  async endedAt(callId: number): Promise<number | null> {
    return (await this.db.call.findUniqueOrThrow({ where: { id: callId } })).endedAt?.getTime() ?? null;
  }
}
