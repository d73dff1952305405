/** Rows of a contact centre of any size: agents, a queue, and calls that wait in it. */
import { randomUUID } from 'node:crypto';
import type { Database, Prisma } from '@clarion/db';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { createInboundCall } from '../create-inbound-call.ts';
import type { InboundCallContext } from '../create-inbound-call.ts';
import { carrierTrunk } from './carrier-trunk.ts';

export class CentreRows {
  readonly #db: Database;
  readonly #trunkId: number;
  readonly tenantId: number;
  #lines = 0;

  private constructor(db: Database, ids: { tenantId: number; trunkId: number }) {
    this.#db = db;
    this.#trunkId = ids.trunkId;
    this.tenantId = ids.tenantId;
  }

  static async create(db: Database): Promise<CentreRows> {
    const slug = `centre-${randomUUID().slice(0, 8)}`;
    const consumer = await db.consumer.create({ data: { slug, name: slug, planCallsAtOnce: 10_000 } });
    const tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
    const trunk = await carrierTrunk(db, consumer.id, { ingressLabel: slug });
    return new CentreRows(db, { tenantId: tenant.id, trunkId: trunk.id });
  }

  /** Available, connected and idle for the longer the earlier they are in the list, unless `data` says otherwise. */
  async agents(count: number, data: Partial<Prisma.AgentCreateManyInput> = {}): Promise<number[]> {
    const longAgo = Date.now() - 86_400_000;
    const rows = await this.#db.agent.createManyAndReturn({
      data: Array.from({ length: count }, (_, index) => {
        const ref = randomUUID();
        const idleSince = new Date(longAgo + index * 1_000);
        return { tenantId: this.tenantId, ref, name: ref, shift: 'AVAILABLE', idleSince, ...data };
      }),
      select: { id: true },
    });
    const ids = rows.map(({ id }) => id).toSorted((a, b) => a - b);
    await this.#db.agentConnection.createMany({
      data: ids.map((agentId) => ({ socketId: randomUUID(), agentId, deviceId: 'd', nodeId: 'n' })),
    });
    return ids;
  }

  async queue(agentIds: number[], data: Partial<Prisma.QueueUncheckedCreateInput> = {}): Promise<number> {
    const ref = randomUUID();
    const members = { create: agentIds.map((agentId) => ({ agentId })) };
    const { id } = await this.#db.queue.create({
      data: { tenantId: this.tenantId, ref, name: ref, maxWaitSeconds: null, ...data, members },
    });
    return id;
  }

  /** A line whose calls wait in the queue. @returns creates a call on it, by a process of this context */
  async line(
    queueId: number,
    process: Pick<InboundCallContext, 'memory' | 'offerTime'> = {},
  ): Promise<() => Promise<number>> {
    this.#lines += 1;
    const address = `+4420${String(this.tenantId).padStart(4, '0')}${String(this.#lines).padStart(4, '0')}`;
    await this.#db.channel.create({
      data: {
        tenantId: this.tenantId,
        ref: randomUUID(),
        type: 'SIP',
        address,
        sipTrunkId: this.#trunkId,
        inboundQueueId: queueId,
      },
    });
    return async () => {
      const request = inviteRequest({ requestUser: address });
      const { answer } = await createInboundCall(
        { db: this.#db, ingressDomain: null, nodeId: 'n', ...process },
        request,
        new Date(),
      );
      if (answer.action !== 'accept') throw new Error(answer.reason);
      return answer.callId;
    };
  }

  /** Copies of a live call, each a second younger than the one before. */
  async copies(callId: number, count: number): Promise<number[]> {
    const rows = await this.#db.$queryRaw<{ id: number }[]>`
      with copied as (
        insert into "Call" ("consumerId", "tenantId", "direction", "channelRef", "channelType", "status", "customerAddressType")
        select "consumerId", "tenantId", "direction", "channelRef", "channelType", "status", "customerAddressType"
        from "Call" cross join generate_series(1, ${count}::int) where "id" = ${callId}
        returning "id"),
      numbered as (select "id", row_number() over (order by "id") as n from copied)
      insert into "LiveCall" ("callId", "consumerId", "tenantId", "state", "waitingQueueId", "waitingSince", "nextDeadlineAt")
      select numbered."id", "consumerId", "tenantId",
        jsonb_set(jsonb_set("state", '{callId}', to_jsonb(numbered."id")), '{wait,since}',
          to_jsonb(("state"#>>'{wait,since}')::numeric + n * 1000)),
        "waitingQueueId", "waitingSince" + make_interval(secs => n), "nextDeadlineAt"
      from "LiveCall" cross join numbered where "callId" = ${callId}
      returning "callId" as id`;
    return rows.map(({ id }) => id).toSorted((a, b) => a - b);
  }
}
