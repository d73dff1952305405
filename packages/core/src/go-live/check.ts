/** Checks the account against the go-live checklist, for the dashboard's first page and the assistant's integration_check. */
import { listChannelsQuery } from '@clarion/protocol/v1/tenant/channels';
import type { ChecklistQuery, ChecklistResource } from '@clarion/protocol/v1/report/overview';
import { listAgents } from '../agent/find-agents.ts';
import { callStats } from '../call/call-stats.ts';
import { listChannels } from '../channel/find-channels.ts';
import { isOwner, tenantOf, tenantsInScope } from '../context.ts';
import type { Ctx } from '../context.ts';
import { FAILED_DELIVERY_DAYS, failedDeliveriesSince } from '../event/failed-deliveries.ts';
import { getWebhook } from '../event/put-webhook.ts';
import { listQueues } from '../queue/find-queues.ts';
import { goLiveChecklist } from './checklist.ts';
import type { AccountFacts, TenantFacts } from './checklist.ts';

/** The period of calls and deliveries that is checked. */
const DAYS = FAILED_DELIVERY_DAYS;
const DAY_MS = 86_400_000;
/** The maximum number of tenants per check. */
const MAX_TENANTS = 20;
const EVERY_LINE = listChannelsQuery.parse({});
const EVERY_CALL = {
  to: null,
  status: null,
  live: false,
  direction: null,
  agentId: null,
  channelId: null,
  queueId: null,
  addresses: null,
  externalRef: null,
} as const;

/** @throws 404 for an unknown tenant */
export async function goLiveCheck(ctx: Ctx, { tenantRef }: ChecklistQuery): Promise<ChecklistResource> {
  const tenants =
    tenantRef === null
      ? (await tenantsInScope(ctx)).filter(({ status }) => status === 'ACTIVE')
      : [await tenantOf(ctx, tenantRef)];
  const looked: TenantFacts[] = [];
  // Sequentially, so that a check does not use too many database connections.
  for (const tenant of tenants.slice(0, MAX_TENANTS)) looked.push(await tenantFacts(ctx, tenant));
  const checklist = goLiveChecklist({
    // Only owners may see keys and the webhook.
    ...(isOwner(ctx) && (await accountFacts(ctx))),
    tenants: looked,
    days: DAYS,
  });
  return { ...checklist, tenantsLeft: tenants.length - looked.length };
}

async function accountFacts(ctx: Ctx): Promise<Omit<AccountFacts, 'tenants' | 'days'>> {
  const { db, consumer, now } = ctx;
  const consumerId = consumer.id;
  const since = { gte: failedDeliveriesSince(now) };
  const [webhook, failed, retrying, signingKeys, push] = await Promise.all([
    getWebhook(ctx),
    db.event.count({ where: { consumerId, undelivered: 'FAILED', occurredAt: since } }),
    db.event.count({
      where: { consumerId, occurredAt: since, delivery: { is: { attemptCount: { gt: 0 } } } },
    }),
    db.signingKey.count({ where: { consumerId, revokedAt: null } }),
    db.pushCredential.findMany({ where: { consumerId }, select: { provider: true } }),
  ]);
  return {
    webhook,
    deliveries: { failed, retrying },
    signingKeys,
    pushProviders: push.map(({ provider }) => provider),
  };
}

async function tenantFacts(ctx: Ctx, tenant: TenantFacts['tenant'] & { id: number }): Promise<TenantFacts> {
  const from = new Date(ctx.now.getTime() - DAYS * DAY_MS);
  const { channels } = await listChannels(ctx, tenant.ref, EVERY_LINE);
  const webhooks = await ctx.db.whatsAppEvent.findMany({
    where: { channelId: { in: channels.map(({ id }) => id) }, receivedAt: { gte: from } },
    distinct: ['channelId'],
    select: { channelId: true },
  });
  const { total, answered } = await callStats(ctx, { ...EVERY_CALL, tenantId: tenant.id, from });
  return {
    tenant,
    channels,
    webhookChannelIds: webhooks.map(({ channelId }) => channelId),
    agents: await listAgents(ctx, tenant.ref),
    queues: await listQueues(ctx, tenant.ref),
    calls: { total, answered },
  };
}
