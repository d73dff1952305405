/** The fixture for tests of complete calls: a tenant with agents, a queue and lines, and the checks that every ended call must pass. */
import assert from 'node:assert/strict';
import { callDetail, callView, type CallView } from '@clarion/protocol/call';
import type { Envelope } from '@clarion/protocol/events';
import { ACCESS_TOKEN } from '../peers/whatsapp-customer.ts';
import type { Account, TestStack } from './stack.ts';

export interface CallCentreFixture {
  tenant: string;
  /** The number of the shared line `main`, whose queue `sales` has the strategy ROUND_ROBIN. */
  main: string;
  queueRef: string;
}

export interface CallCentreOptions {
  tenant?: string;
  account?: Account;
  agents?: string[];
  ringTimeoutSeconds?: number;
  maxWaitSeconds?: number;
}

/** Those below are for tests that choose a number themselves. */
const FIRST_LINE = 200;
let lines = 0;
/** A different number each time, from Ofcom's range for drama use. */
export const newNumber = () => `+442079460${FIRST_LINE + lines++}`;

export async function openCallCentre(
  t: TestStack,
  options: CallCentreOptions = {},
): Promise<CallCentreFixture> {
  const {
    tenant = 'shop',
    account = t.account,
    agents = ['ada'],
    ringTimeoutSeconds = 20,
    maxWaitSeconds,
  } = options;
  const at = `/v1/tenants/${tenant}`;
  await account.v1.ok('PUT', at, { name: tenant });
  for (const agent of agents) await account.v1.ok('PUT', `${at}/agents/${agent}`, { name: agent });
  await account.v1.ok('PUT', `${at}/queues/sales`, {
    name: 'Sales',
    ring_timeout_seconds: ringTimeoutSeconds,
    ...(maxWaitSeconds === undefined ? {} : { max_wait_seconds: maxWaitSeconds }),
    members: agents.map((agent_ref) => ({ agent_ref })),
  });
  const main = await line(t, 'main', { inbound_queue_ref: 'sales' }, { tenant, account });
  return { tenant, main, queueRef: 'sales' };
}

/** Creates a SIP line. @returns its number */
export async function line(
  t: TestStack,
  ref: string,
  body: Record<string, unknown>,
  { tenant = 'shop', account = t.account } = {},
): Promise<string> {
  const address = newNumber();
  await account.v1.ok('PUT', `/v1/tenants/${tenant}/channels/${ref}`, {
    type: 'SIP',
    address,
    sip_trunk_id: account.trunkId,
    ...body,
  });
  return address;
}

/** Creates a WhatsApp line. @returns its phone number ID */
export async function whatsAppLine(
  t: TestStack,
  ref: string,
  body: Record<string, unknown>,
  { tenant = 'shop', account = t.account } = {},
): Promise<string> {
  const phoneNumberId = t.meta.addNumber();
  await account.v1.ok('PUT', `/v1/tenants/${tenant}/channels/${ref}`, {
    type: 'WHATSAPP',
    address: newNumber(),
    provider_account_id: phoneNumberId,
    credentials: { access_token: ACCESS_TOKEN },
    ...body,
  });
  return phoneNumberId;
}

/** Creates an outbound intent. @returns its call ID */
export async function intend(
  t: TestStack,
  agentRef: string,
  options: {
    address?: string;
    channel?: string;
    tenant?: string;
    account?: Account;
    more?: Record<string, unknown>;
  } = {},
): Promise<number> {
  const {
    address = '+442079460999',
    channel = 'main',
    tenant = 'shop',
    account = t.account,
    more = {},
  } = options;
  const { call } = await account.v1.ok<{ call: CallView }>('POST', `/v1/tenants/${tenant}/calls`, {
    channel_ref: channel,
    agent_ref: agentRef,
    customer: { address },
    ...more,
  });
  return call.callId;
}

/** Selects an agent in the database, where agents of other tests have the same ref. */
export const agentOf = (t: TestStack, ref: string) => ({
  ref,
  tenant: { ref: 'shop', consumer: { slug: t.account.slug } },
});

export interface Life {
  events: Envelope[];
  created: CallView;
  answered: CallView | null;
  ended: CallView;
}

const callOf = (event: Envelope): CallView => callView.parse(event.data.call);
export const isOf = (callId: number, type: string) => (delivery: { event: Envelope }) =>
  delivery.event.event_type === type && callOf(delivery.event).callId === callId;

/**
 * Waits for call.ended of a call and checks its events: exactly one call.created and call.ended, at most one call.answered, all signed,
 * with distinct sequence numbers, and the same call in the API.
 */
export async function lifeOf(
  t: TestStack,
  callId: number,
  timeoutMs = 15_000,
  { v1 }: Account = t.account,
): Promise<Life> {
  await t.webhooks.waitFor(isOf(callId, 'call.ended'), timeoutMs);
  await t.webhooks.waitFor(isOf(callId, 'call.created'), timeoutMs);
  const { call } = await v1.ok<{ call: CallView }>('GET', `/v1/calls/${callId}`);
  if (call.answeredAt !== null) await t.webhooks.waitFor(isOf(callId, 'call.answered'), timeoutMs);
  const deliveries = t.webhooks.deliveries.filter(
    ({ event }) => event.event_type.startsWith('call.') && callOf(event).callId === callId,
  );
  assert.ok(
    deliveries.every(({ signatureValid }) => signatureValid),
    'an event was not signed correctly',
  );
  const byId = new Map(deliveries.map(({ event }) => [event.event_id, event]));
  const events = [...byId.values()].sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  const types = events.map((event) => event.event_type);
  const count = (type: string) => types.filter((each) => each === type).length;
  assert.equal(count('call.created'), 1, `call ${callId}: ${types.join(', ')}`);
  assert.equal(count('call.ended'), 1, `call ${callId}: ${types.join(', ')}`);
  assert.ok(count('call.answered') <= 1, `call ${callId}: ${types.join(', ')}`);
  assert.equal(
    new Set(events.map((event) => event.sequence)).size,
    events.length,
    'a sequence number was used twice',
  );
  assert.deepEqual([types[0], types.at(-1)], ['call.created', 'call.ended']);
  const find = (type: string) => events.find((event) => event.event_type === type);
  const answered = find('call.answered');
  const ended = callOf(find('call.ended') as Envelope);
  const detail = callDetail.parse(await v1.ok('GET', `/v1/calls/${callId}`));
  assert.deepEqual(detail.call, ended, 'the call in the API differs from the event');
  for (const leg of detail.legs)
    assert.match(leg.state, /DISCONNECTED|FAILED/, `leg ${leg.type} of an ended call`);
  for (const { kind, leftAt } of detail.participants)
    assert.ok(leftAt !== null, `${kind} never left the ended call`);
  return {
    events,
    created: callOf(find('call.created') as Envelope),
    answered: answered ? callOf(answered) : null,
    ended,
  };
}

/** The newest call of the tenant. */
export async function newestCall(
  t: TestStack,
  tenant = 'shop',
  account: Account = t.account,
): Promise<CallView> {
  const { calls } = await account.v1.ok<{ calls: CallView[] }>('GET', `/v1/tenants/${tenant}/calls?limit=1`);
  const [call] = calls;
  if (!call) throw new Error('there is no call');
  return call;
}

const ENDED_WITHIN_MS = 10_000;

/** Terminates calls that a failed test left behind, so that the agents are idle for the next one. */
export async function endLiveCalls(t: TestStack, tenant = 'shop'): Promise<void> {
  const deadline = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const path = `/v1/tenants/${tenant}/calls?live=true`;
    const { calls } = await t.v1.ok<{ calls: CallView[] }>('GET', path);
    if (calls.length === 0 || Date.now() > deadline) return;
    for (const { callId } of calls) await t.v1.request('POST', `/v1/calls/${callId}/terminate`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
