import { expect, test } from 'vitest';
import { goLiveChecklist } from './checklist.ts';
import type { AccountFacts, TenantFacts } from './checklist.ts';

const line = {
  id: 5,
  ref: 'main',
  type: 'SIP',
  status: 'ACTIVE',
  inboundQueueId: 3,
  ownerAgentId: null,
  hasCredentials: false,
} as const;
const whatsApp = { ...line, id: 6, ref: 'wa', type: 'WHATSAPP', hasCredentials: true } as const;
const tenant: TenantFacts = {
  tenant: { ref: 'shop', status: 'ACTIVE' },
  channels: [line],
  webhookChannelIds: [],
  agents: [{ ref: 'ada', connected: true }],
  queues: [{ id: 3, ref: 'support', members: [{ agentRef: 'ada', agentId: 7, priority: 1, skills: [] }] }],
  calls: { total: 4, answered: 3 },
};
const ready: AccountFacts = {
  webhook: { url: 'https://hooks.example.com', eventTypes: null, lookupUrl: null },
  deliveries: { failed: 0, retrying: 0 },
  signingKeys: 1,
  pushProviders: ['fcm'],
  tenants: [tenant],
  days: 7,
};
const missing = (facts: Partial<AccountFacts>) =>
  goLiveChecklist({ ...ready, ...facts }).missing.map(({ check, tenantRef }) =>
    tenantRef === undefined ? check : `${tenantRef} ${check}`,
  );
const missingOf = (facts: Partial<TenantFacts>) => missing({ tenants: [{ ...tenant, ...facts }] });

test('an account that is ready has no missing items', () => {
  expect(goLiveChecklist(ready)).toMatchObject({ missing: [], next: [] });
});

test.for<[string, Partial<AccountFacts>]>([
  ['webhook', { webhook: { ...ready.webhook, url: null } }],
  ['webhook', { webhook: { ...ready.webhook, eventTypes: ['call.created'] } }],
  ['deliveries', { deliveries: { failed: 1, retrying: 0 } }],
  ['deliveries', { deliveries: { failed: 0, retrying: 1 } }],
  ['signing_keys', { signingKeys: 0 }],
  ['push', { pushProviders: [] }],
  ['tenants', { tenants: [] }],
])('%s is missing', ([check, facts]) => {
  expect(missing(facts)).toEqual([check]);
});

test.for<[string, Partial<TenantFacts>]>([
  ['lines', { channels: [] }],
  ['lines', { channels: [{ ...line, status: 'DISABLED' }] }],
  ['routes', { channels: [{ ...line, inboundQueueId: null }] }],
  ['agents', { agents: [] }],
  ['queue_members', { queues: [{ id: 3, ref: 'support', members: [] }] }],
  ['recent_calls', { calls: { total: 4, answered: 0 } }],
  ['whatsapp_tokens', { channels: [{ ...whatsApp, hasCredentials: false }], webhookChannelIds: [6] }],
  ['whatsapp_webhooks', { channels: [line, whatsApp], webhookChannelIds: [] }],
])('%s is missing of a tenant', ([check, facts]) => {
  expect(missingOf(facts)).toEqual([`shop ${check}`]);
});

test('a WhatsApp line with an access token whose webhooks arrive is ready, and a disabled one is not checked', () => {
  const disabled = { ...whatsApp, id: 7, status: 'DISABLED', hasCredentials: false } as const;
  expect(missingOf({ channels: [whatsApp, disabled], webhookChannelIds: [6] })).toEqual([]);
});

test('a queue that no line uses needs no members', () => {
  expect(missingOf({ queues: [...tenant.queues, { id: 4, ref: 'spare', members: [] }] })).toEqual([]);
});

test('each step appears once, in the order of the list, for several tenants', () => {
  const { next } = goLiveChecklist({
    ...ready,
    signingKeys: 0,
    tenants: [
      { ...tenant, agents: [] },
      { ...tenant, tenant: { ref: 'other', status: 'ACTIVE' }, agents: [] },
    ],
  });
  expect(next).toHaveLength(2);
  expect(next[0]).toContain('POST /v1/signing-keys');
});
