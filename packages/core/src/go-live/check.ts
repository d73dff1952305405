/** The account against the go-live checklist. The dashboard's first page and the assistant's integration_check ask the same. */
import { listChannelsQuery } from '@clarion/protocol/v1/tenant/channels';
import type { ChecklistQuery, ChecklistResource } from '@clarion/protocol/v1/report/overview';
import { listAgents } from '../agent/find-agents.ts';
import { callStats } from '../call/call-stats.ts';
import { listChannels } from '../channel/find-channels.ts';
import { tenantOf, tenantsInScope } from '../context.ts';
import type { Ctx } from '../context.ts';
import { FAILED_DELIVERY_DAYS, failedDeliveriesSince } from '../event/failed-deliveries.ts';
import { getWebhook } from '../event/put-webhook.ts';
import { listQueues } from '../queue/find-queues.ts';
import { goLiveChecklist } from './checklist.ts';
import type { AccountFacts, TenantFacts } from './checklist.ts';

/** Calls and deliveries are looked back at for so long. */
const DAYS = FAILED_DELIVERY_DAYS;
const DAY_MS = 86_400_000;
/** One check looks at no more tenants than this. */
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

/** @throws 404 for a tenant that is asked for and unknown */
export async function goLiveCheck(ctx: Ctx, { tenantRef }: ChecklistQuery): Promise<ChecklistResource> {
  const tenants =
    tenantRef === null
      ? (await tenantsInScope(ctx)).filter(({ status }) => status === 'ACTIVE')
      : [await tenantOf(ctx, tenantRef)];
  const looked: TenantFacts[] = [];
  // One after another: a check must not take the database from everyone else.
  for (const tenant of tenants.slice(0, MAX_TENANTS)) looked.push(await tenantFacts(ctx, tenant));
  const checklist = goLiveChecklist({
    ...(seesAccount(ctx) && (await accountFacts(ctx))),
    tenants: looked,
    days: DAYS,
  });
  return { ...checklist, tenantsLeft: tenants.length - looked.length };
}

/** Keys and the webhook are the owner's; an API key may see all. */
const seesAccount = ({ session }: Ctx): boolean => session === undefined || session.role === 'OWNER';

async function accountFacts(ctx: Ctx): Promise<Omit<AccountFacts, 'tenants' | 'days'>> {
  const { db, consumer, now } = ctx;
  const consumerId = consumer.id;
  const since = { gte: failedDeliveriesSince(now) };
  const [webhook, failed, retrying, signingKeys, push] = await Promise.all([
    getWebhook(ctx),
    db.event.count({ where: { consumerId, status: 'FAILED', occurredAt: since } }),
    db.event.count({ where: { consumerId, status: 'PENDING', occurredAt: since, attempts: { some: {} } } }),
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
  const { total, answered } = await callStats(ctx, { ...EVERY_CALL, tenantId: tenant.id, from });
  return {
    tenant,
    channels,
    agents: await listAgents(ctx, tenant.ref),
    queues: await listQueues(ctx, tenant.ref),
    calls: { total, answered },
  };
}
