/** The selection of a call list: which rows, and whether the tally of ended calls can count them (README, "Stats at size"). */
import { Prisma } from '@clarion/db';
import type { CallTallyScope, Tenant } from '@clarion/db';
import { invalidField, liveStatuses } from '@clarion/protocol';
import type { CallDirection, CallStatus } from '@clarion/protocol';
import type { ListCalls } from '@clarion/protocol/v1/call/calls';
import { agentOf } from '../agent/agent-of.ts';
import { findChannel } from '../channel/channel-of.ts';
import type { Ctx } from '../context.ts';
import { addressForms } from '../numbers/address-forms.ts';
import { findQueue } from '../queue/queue-of.ts';

const { sql } = Prisma;
// Words in the text, not parameters: only so does the planner see that the partial indexes of these statuses fit.
export const isLive = sql`c."status" in ('INITIATED', 'RINGING', 'IN_PROGRESS')`;

export interface CallSelection {
  tenantId: number;
  /** Inclusive and exclusive bounds of createdAt. */
  from: Date | null;
  to: Date | null;
  status: CallStatus | null;
  live: boolean;
  direction: CallDirection | null;
  agentId: number | null;
  channelId: number | null;
  queueId: number | null;
  /** The forms in which the customer's address may be stored. */
  addresses: string[] | null;
  externalRef: string | null;
}

/** @throws 404 for an unknown agent, 400 for an unknown line or queue */
export async function selectCalls(ctx: Ctx, tenant: Tenant, query: ListCalls): Promise<CallSelection> {
  const { status, live, direction, externalRef, customer, from, to } = query;
  return {
    tenantId: tenant.id,
    from,
    to,
    status,
    live,
    direction,
    externalRef,
    addresses: customer === null ? null : addressForms(customer),
    agentId: query.agentRef === null ? null : (await agentOf(ctx, tenant, query.agentRef)).id,
    channelId: await channelIdOf(ctx, tenant, query.channelRef),
    queueId: await queueIdOf(ctx, tenant, query.queueRef),
  };
}

async function channelIdOf(ctx: Ctx, tenant: Tenant, ref: string | null): Promise<number | null> {
  if (ref === null) return null;
  const channel = await findChannel(ctx, tenant, ref);
  if (!channel) throw unknown('channel_ref', `line ${ref}`);
  return channel.id;
}

async function queueIdOf(ctx: Ctx, tenant: Tenant, ref: string | null): Promise<number | null> {
  if (ref === null) return null;
  const queue = await findQueue(ctx, tenant, ref);
  if (!queue) throw unknown('queue_ref', `queue ${ref}`);
  return queue.id;
}

const unknown = (field: string, what: string) => invalidField(field, `${field}: the tenant has no ${what}.`);

/** The rows of a selection, of the table `"Call" c`. */
export function rowsOf(selection: CallSelection): Prisma.Sql {
  const { status, live, direction, externalRef, addresses, from, to } = selection;
  const conditions = [sql`c."tenantId" = ${selection.tenantId}`];
  if (status) conditions.push(statusIs(status));
  if (live) conditions.push(isLive);
  if (direction) conditions.push(sql`c."direction" = ${direction}::"CallDirection"`);
  if (externalRef !== null) conditions.push(sql`c."externalRef" = ${externalRef}`);
  if (addresses) conditions.push(sql`c."customerAddress" in (${Prisma.join(addresses)})`);
  if (from) conditions.push(sql`c."createdAt" >= ${from}`);
  if (to) conditions.push(sql`c."createdAt" < ${to}`);
  if (selection.agentId !== null) conditions.push(sql`c."agentId" = ${selection.agentId}`);
  if (selection.channelId !== null) conditions.push(sql`c."channelId" = ${selection.channelId}`);
  if (selection.queueId !== null) conditions.push(sql`c."queueId" = ${selection.queueId}`);
  return Prisma.join(conditions, ' and ');
}

/** With `isLive` beside it, so that the index of live calls serves each of their statuses. */
function statusIs(status: CallStatus): Prisma.Sql {
  const exactly = sql`c."status" = ${status}::"CallStatus"`;
  if (status === 'FAILED') return sql`c."status" = 'FAILED'`;
  return liveStatuses.some((one) => one === status) ? sql`${exactly} and ${isLive}` : exactly;
}

export interface TallyKey {
  scope: CallTallyScope;
  key: number;
  otherKey: number;
}

/** Where the tally counts a selection; null when only its rows can: a customer, an external ref, an agent beside a line or queue. */
export function tallyKeyOf(selection: CallSelection): TallyKey | null {
  if (selection.addresses !== null || selection.externalRef !== null) return null;
  const { agentId, channelId, queueId } = selection;
  if (agentId !== null) {
    return channelId === null && queueId === null ? { scope: 'AGENT', key: agentId, otherKey: 0 } : null;
  }
  if (channelId !== null && queueId !== null) return { scope: 'ROUTE', key: channelId, otherKey: queueId };
  if (channelId !== null) return { scope: 'LINE', key: channelId, otherKey: 0 };
  if (queueId !== null) return { scope: 'QUEUE', key: queueId, otherKey: 0 };
  return { scope: 'TENANT', key: 0, otherKey: 0 };
}
