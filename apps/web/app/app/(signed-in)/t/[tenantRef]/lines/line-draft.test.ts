import { putChannelBody } from '@clarion/protocol/v1/tenant/channels';
import { expect, test } from 'vitest';
import { bodyOf, draftOf, recordingLabel } from './line-draft.ts';
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

test('a new line begins as a phone line into a queue, on the only trunk there is', () => {
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

test('what belongs to another kind of line is never sent with it', () => {
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

test('an empty access token keeps the one that is stored', () => {
  expect(bodyOf({ ...filled, type: 'WHATSAPP' })).not.toHaveProperty('credentials');
});

test.each([
  [{ queueRef: '' }, 'inbound_queue_ref'],
  [{ inbound: 'owner' as const }, 'owner_agent_ref'],
])('%j is refused on %s, not made a line for calling out', (changes, field) => {
  expect(() => bodyOf({ ...filled, ...changes })).toThrow(
    expect.objectContaining({ details: { field } }) as Error,
  );
});

test('recording is told with whose choice it is', () => {
  expect(recordingLabel({ recording: { enabled: true, source: 'TENANT' } })).toBe('Yes, set by the tenant');
  expect(recordingLabel({ recording: { enabled: false, source: 'ACCOUNT' } })).toBe('No, set by the account');
});
