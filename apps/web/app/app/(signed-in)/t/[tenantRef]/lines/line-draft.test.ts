import { putChannelBody } from '@clarion/protocol/v1/tenant/channels';
import { expect, test } from 'vitest';
import { bodyOf, draftOf, recordingLabel, ringSecondsOf } from './line-draft.ts';
import type { LineDraft } from './line-draft.ts';

const nothing = {
  lines: [],
  queues: [],
  agents: [],
  flows: [],
  trunks: [{ id: 7, name: 'carrier', owner: 'PLATFORM' as const, status: 'ACTIVE' as const }],
  error: null,
  retry: () => undefined,
};
const filled: LineDraft = {
  ...draftOf(null, nothing),
  ref: 'main',
  address: '+442071838750',
  queueRef: 'support',
};

test('a new line starts as a phone line to a queue, on the only trunk', () => {
  expect(filled).toMatchObject({
    type: 'SIP',
    inbound: 'queue',
    trunkId: '7',
    recording: 'tenant',
    active: true,
  });
  expect(putChannelBody.parse(bodyOf(filled))).toMatchObject({
    type: 'SIP',
    sipTrunkId: 7,
    inboundQueueRef: 'support',
    ownerAgentRef: null,
    recordingEnabled: null,
    status: 'ACTIVE',
  });
});

test('a link to a new line fills in its trunk and number', () => {
  const prefilled = draftOf(null, nothing, { trunkId: '8', address: '+442079460001' });
  expect(prefilled).toMatchObject({ trunkId: '8', address: '+442079460001', backupTrunkId: '' });
});

test('a backup trunk is sent for a phone line only', () => {
  const backed = { ...filled, backupTrunkId: '8' };
  expect(bodyOf(backed)).toMatchObject({ sip_trunk_id: 7, backup_sip_trunk_id: 8 });
  expect(bodyOf(filled)).toMatchObject({ backup_sip_trunk_id: null });
  expect(bodyOf({ ...backed, type: 'WHATSAPP' })).toMatchObject({ backup_sip_trunk_id: null });
});

test('least-cost routing is sent with a backup trunk only, and the margin guard for a phone line only', () => {
  const careful = { ...filled, backupTrunkId: '8', leastCostRouting: true, marginGuard: true };
  expect(bodyOf(careful)).toMatchObject({ least_cost_routing: true, margin_guard: true });
  expect(bodyOf({ ...careful, backupTrunkId: '' })).toMatchObject({
    least_cost_routing: false,
    margin_guard: true,
  });
  expect(bodyOf({ ...careful, type: 'WHATSAPP' })).toMatchObject({
    least_cost_routing: false,
    margin_guard: false,
  });
});

test('fields of another kind of line are never sent', () => {
  const mixed = {
    ...filled,
    ownerRef: 'ada',
    ringSeconds: 20,
    providerAccountId: '123',
    accessToken: 'secret',
  };
  expect(bodyOf(mixed)).toMatchObject({
    owner_agent_ref: null,
    ring_timeout_seconds: null,
    provider_account_id: null,
  });
  expect(bodyOf(mixed)).not.toHaveProperty('credentials');
  expect(bodyOf({ ...mixed, inbound: 'owner' })).toMatchObject({
    inbound_queue_ref: null,
    owner_agent_ref: 'ada',
    ring_timeout_seconds: 20,
  });
  expect(bodyOf({ ...mixed, type: 'WHATSAPP' })).toMatchObject({
    sip_trunk_id: null,
    provider_account_id: '123',
    credentials: { access_token: 'secret' },
  });
});

test('an empty access token keeps the stored one', () => {
  expect(bodyOf({ ...filled, type: 'WHATSAPP' })).not.toHaveProperty('credentials');
});

test.each([
  [{ queueRef: '' }, 'inbound_queue_ref'],
  [{ inbound: 'owner' as const }, 'owner_agent_ref'],
])('%j is an error at %s and does not create an outbound line', (changes, field) => {
  expect(() => bodyOf({ ...filled, ...changes })).toThrow(
    expect.objectContaining({ details: { field } }) as Error,
  );
});

test('the recording setting shows whether the line or the tenant determines it', () => {
  expect(recordingLabel({ recording: { enabled: true, source: 'TENANT' } })).toBe('Yes, set by the tenant');
  expect(recordingLabel({ recording: { enabled: false, source: 'ACCOUNT' } })).toBe('No, set by the account');
});

test.each([
  ['SIP', null, 30],
  ['SIP', 60, 60],
  ['WHATSAPP', null, 25],
  ['WHATSAPP', 60, 25],
  ['WHATSAPP', 10, 10],
] as const)(
  'a personal line of type %s with ring time %s rings for %i seconds',
  (type, ringSeconds, rings) => {
    expect(ringSecondsOf({ type, ringSeconds })).toBe(rings);
  },
);
