/**
 * Is this account ready for real calls? Pure: turns facts from responses of the Management API into what is complete, what is missing and
 * what to do next. The assistant's integration_check and the dashboard's first page show the same.
 */
import type { AgentResource } from '@clarion/protocol/v1/tenant/agents';
import type { ChannelResource } from '@clarion/protocol/v1/tenant/channels';
import type { QueueResource } from '@clarion/protocol/v1/tenant/queues';
import type { TenantResource } from '@clarion/protocol/v1/tenant/tenants';
import type { WebhookResource } from '@clarion/protocol/v1/account/webhook';

export interface TenantFacts {
  tenant: Pick<TenantResource, 'ref' | 'status'>;
  channels: readonly Pick<
    ChannelResource,
    'id' | 'ref' | 'type' | 'status' | 'inboundQueueId' | 'ownerAgentId' | 'hasCredentials'
  >[];
  /** IDs of the WhatsApp lines whose webhooks arrived in the days that are checked. */
  webhookChannelIds: readonly number[];
  agents: readonly Pick<AgentResource, 'ref' | 'connected'>[];
  queues: readonly Pick<QueueResource, 'id' | 'ref' | 'members'>[];
  /** Of the days that are checked. */
  calls: { total: number; answered: number };
}

export interface AccountFacts {
  webhook: Pick<WebhookResource, 'url' | 'eventTypes' | 'lookupUrl'>;
  /** Events that failed, and events that are being retried, in the days that are checked. */
  deliveries: { failed: number; retrying: number };
  signingKeys: number;
  /** Providers with credentials. */
  pushProviders: readonly string[];
  tenants: readonly TenantFacts[];
  /** Number of days for which deliveries and calls are checked. */
  days: number;
}

/** Without what only the account's owner may see. */
export type TenantsFacts = Pick<AccountFacts, 'tenants' | 'days'>;

export interface ChecklistItem {
  check: string;
  /** Absent for items of the whole account. */
  tenantRef?: string;
  message: string;
}
export interface Checklist {
  done: ChecklistItem[];
  missing: ChecklistItem[];
  /** What to do, in order; each refers to the page of the documentation that explains it. */
  next: string[];
}

interface Finding {
  check: string;
  tenantRef?: string;
  ok: boolean;
  /** The texts for a complete and for an incomplete item. */
  message: string;
  todo: string;
}

export function goLiveChecklist(facts: AccountFacts | TenantsFacts): Checklist {
  const findings = [
    ...('webhook' in facts ? accountFindings(facts) : []),
    ...facts.tenants.flatMap((tenant) => tenantFindings(tenant, facts.days)),
  ];
  const item = ({ check, tenantRef, message }: Finding): ChecklistItem => ({
    check,
    ...(tenantRef !== undefined && { tenantRef }),
    message,
  });
  const missing = findings.filter(({ ok }) => !ok);
  return {
    done: findings.filter(({ ok }) => ok).map(item),
    missing: missing.map(item),
    next: [...new Set(missing.map(({ todo }) => todo))],
  };
}

function accountFindings({
  webhook,
  deliveries,
  signingKeys,
  pushProviders,
  tenants,
  days,
}: AccountFacts): Finding[] {
  const { url, eventTypes } = webhook;
  const hearsEnd = eventTypes === null || eventTypes.includes('call.ended');
  return [
    {
      check: 'webhook',
      ok: url !== null && hearsEnd,
      message:
        url === null
          ? 'No webhook URL is set, so your backend does not receive the outcome of calls.'
          : hearsEnd
            ? `Events go to ${url}.`
            : 'The webhook does not receive call.ended, which carries the outcome of each call.',
      todo: 'Set the webhook with PUT /v1/webhook and verify its signature (guides/webhooks).',
    },
    {
      check: 'deliveries',
      ok: deliveries.failed === 0 && deliveries.retrying === 0,
      message:
        deliveries.failed === 0 && deliveries.retrying === 0
          ? `No failed delivery in the last ${days} days.`
          : `In the last ${days} days, ${deliveries.failed} events failed after their last attempt and ${deliveries.retrying} are being retried.`,
      todo: 'Check the responses of your endpoint with GET /v1/events?status=FAILED, fix the endpoint, and send the events again with POST /v1/events/{event_id}/redeliver (guides/webhooks).',
    },
    {
      check: 'signing_keys',
      ok: signingKeys > 0,
      message:
        signingKeys > 0
          ? `${counted(signingKeys, 'signing key')}.`
          : 'There is no signing key, so agents cannot connect.',
      todo: 'Create a signing key with POST /v1/signing-keys and sign agent tokens with it in the backend (guides/agents).',
    },
    {
      check: 'push',
      ok: pushProviders.length > 0,
      message:
        pushProviders.length > 0
          ? `Push credentials for ${pushProviders.join(', ')}.`
          : 'There are no push credentials. Calls ring only agents whose app or browser tab is open.',
      todo: 'To let calls ring in closed mobile apps and browsers, set push credentials (guides/push).',
    },
    {
      check: 'tenants',
      ok: tenants.length > 0,
      message:
        tenants.length > 0 ? `${counted(tenants.length, 'tenant')} checked.` : 'There is no active tenant.',
      todo: 'Create a tenant with PUT /v1/tenants/{tenantRef} (quick-start).',
    },
  ];
}

function tenantFindings(facts: TenantFacts, days: number): Finding[] {
  const { tenant, channels, agents, queues, calls } = facts;
  const tenantRef = tenant.ref;
  const active = channels.filter(({ status }) => status === 'ACTIVE');
  const unrouted = active.filter((line) => line.inboundQueueId === null && line.ownerAgentId === null);
  const inbound = new Set(active.map(({ inboundQueueId }) => inboundQueueId));
  const empty = queues.filter(({ id, members }) => inbound.has(id) && members.length === 0);
  const findings: Omit<Finding, 'tenantRef'>[] = [
    {
      check: 'lines',
      ok: active.length > 0,
      message:
        active.length > 0
          ? `${counted(active.length, 'active line')}.`
          : 'There is no active line, so calls can be neither received nor placed.',
      todo: 'Add a line with PUT /v1/tenants/{tenantRef}/channels/{channelRef} (guides/lines).',
    },
    {
      check: 'routes',
      ok: unrouted.length === 0,
      message:
        unrouted.length === 0
          ? 'Every active line has a queue or an owner.'
          : `Lines with neither a queue nor an owner: ${names(unrouted)}. Calls to them are rejected, which is fine for outbound-only lines.`,
      todo: 'Set inbound_queue_ref or owner_agent_ref for each line that receives calls (guides/lines).',
    },
    {
      check: 'agents',
      ok: agents.length > 0,
      message:
        agents.length > 0
          ? `${counted(agents.length, 'agent')}, ${agents.filter(({ connected }) => connected).length} connected now.`
          : 'There are no agents.',
      todo: 'Create agents with PUT /v1/tenants/{tenantRef}/agents/{agentRef} (guides/agents).',
    },
    {
      check: 'queue_members',
      ok: empty.length === 0,
      message:
        empty.length === 0
          ? 'Every queue that a line uses has members.'
          : `Queues without members: ${names(empty)}. Their callers wait until max_wait_seconds.`,
      todo: 'Add members with PUT /v1/tenants/{tenantRef}/queues/{queueRef}/members (guides/queues).',
    },
    {
      check: 'recent_calls',
      ok: calls.answered > 0,
      message: `${counted(calls.total, 'call')} in the last ${days} days, ${calls.answered} answered.`,
      todo: 'Place a test call: sign in an agent (agent_test_token), make it available, and call the line (quick-start).',
    },
  ];
  return [...findings, ...whatsAppFindings(facts, days)].map((finding) => ({ ...finding, tenantRef }));
}

/** Only for tenants with WhatsApp lines. */
function whatsAppFindings(
  { channels, webhookChannelIds }: TenantFacts,
  days: number,
): Omit<Finding, 'tenantRef'>[] {
  const lines = channels.filter(({ type, status }) => type === 'WHATSAPP' && status === 'ACTIVE');
  if (lines.length === 0) return [];
  const closed = lines.filter(({ hasCredentials }) => !hasCredentials);
  const silent = lines.filter(({ id }) => !webhookChannelIds.includes(id));
  return [
    {
      check: 'whatsapp_tokens',
      ok: closed.length === 0,
      message:
        closed.length === 0
          ? 'Every active WhatsApp line has an access token.'
          : `WhatsApp lines without an access token: ${names(closed)}. Their calls can be neither accepted nor placed.`,
      todo: 'Set credentials.access_token of each WhatsApp line (guides/whatsapp).',
    },
    {
      check: 'whatsapp_webhooks',
      ok: silent.length === 0,
      message:
        silent.length === 0
          ? `Webhooks of every active WhatsApp line arrived in the last ${days} days.`
          : `WhatsApp lines without a webhook of a call in the last ${days} days: ${names(silent)}.`,
      todo: 'Subscribe the WhatsApp app to calls and messages, forward its webhooks, and call each WhatsApp line (guides/whatsapp).',
    },
  ];
}

const names = (things: readonly { ref: string }[]): string => things.map(({ ref }) => ref).join(', ');
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
