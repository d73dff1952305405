/** The selection of a call list, as one SQL condition that the page, the count and the stats share. */
import { Prisma } from '@clarion/db';
import type { Tenant } from '@clarion/db';
import { invalidField, liveStatuses } from '@clarion/protocol';
import type { ListCalls } from '@clarion/protocol/v1/calls';
import { agentOf } from '../agent/agent-of.ts';
import { findChannel } from '../channel/channel-of.ts';
import type { Ctx } from '../context.ts';
import { addressForms } from '../numbers/address-forms.ts';
import { findQueue } from '../queue/queue-of.ts';

const { sql } = Prisma;
export const isLive = sql`c."status"::text in (${Prisma.join([...liveStatuses])})`;

/** @throws 404 for an unknown agent, 400 for an unknown line or queue */
export async function callFilter(ctx: Ctx, tenant: Tenant, query: ListCalls): Promise<Prisma.Sql> {
  const conditions = [sql`c."tenantId" = ${tenant.id}`];
  const { status, live, direction, externalRef, customer, from, to } = query;
  if (status) conditions.push(sql`c."status"::text = ${status}`);
  if (live) conditions.push(isLive);
  if (direction) conditions.push(sql`c."direction"::text = ${direction}`);
  if (externalRef !== null) conditions.push(sql`c."externalRef" = ${externalRef}`);
  if (customer !== null) {
    conditions.push(sql`c."customerAddress" in (${Prisma.join(addressForms(customer))})`);
  }
  if (from) conditions.push(sql`c."createdAt" >= ${from}`);
  if (to) conditions.push(sql`c."createdAt" < ${to}`);
  if (query.agentRef !== null) {
    conditions.push(sql`c."agentId" = ${(await agentOf(ctx, tenant, query.agentRef)).id}`);
  }
  if (query.channelRef !== null) {
    const channel = await findChannel(ctx, tenant, query.channelRef);
    if (!channel) throw unknown('channel_ref', `line ${query.channelRef}`);
    conditions.push(sql`c."channelId" = ${channel.id}`);
  }
  if (query.queueRef !== null) {
    const queue = await findQueue(ctx, tenant, query.queueRef);
    if (!queue) throw unknown('queue_ref', `queue ${query.queueRef}`);
    conditions.push(sql`c."queueId" = ${queue.id}`);
  }
  return Prisma.join(conditions, ' and ');
}

const unknown = (field: string, what: string) => invalidField(field, `${field}: the tenant has no ${what}.`);
