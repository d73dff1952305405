/** A tenant with agents, a queue of all of them and one of nobody, and a line of each. */
import type { TestStack } from '@clarion/testkit/stack/stack';

export const TENANT = 'bench';
export const NUMBER = '+442079460100';
/** Of a line whose queue has nobody. */
export const PATIENT_NUMBER = '+442079460101';
/** Two for each call, of more calls at once than any load has. Far from the ports of a running copy. */
export const RTP_PORTS = '20000-25999';
const AGENTS_AT_ONCE = 8;
/** Of the account: more than any load has at once. */
const MIN_CALLS_AT_ONCE = 5_000;

/** @returns the agents' tokens */
export async function provision(t: TestStack, agents: number): Promise<string[]> {
  const at = `/v1/tenants/${TENANT}`;
  const callsAtOnce = Math.max(MIN_CALLS_AT_ONCE, 2 * agents);
  await t.clarion(['plan', 'set', '--slug', t.account.slug, '--calls-at-once', String(callsAtOnce)]);
  await t.v1.ok('PUT', at, { name: 'Bench' });
  const refs = Array.from({ length: agents }, (_, i) => `agent-${i}`);
  for (let first = 0; first < agents; first += AGENTS_AT_ONCE)
    await Promise.all(
      refs
        .slice(first, first + AGENTS_AT_ONCE)
        .map((ref) => t.v1.ok('PUT', `${at}/agents/${ref}`, { name: ref })),
    );
  await t.v1.ok('PUT', `${at}/queues/all`, {
    name: 'All',
    members: refs.map((agent_ref) => ({ agent_ref })),
  });
  await t.v1.ok('PUT', `${at}/channels/main`, {
    type: 'SIP',
    address: NUMBER,
    sip_trunk_id: t.account.trunkId,
    inbound_queue_ref: 'all',
  });
  await t.v1.ok('PUT', `${at}/queues/patient`, { name: 'Patient', max_wait_seconds: null });
  await t.v1.ok('PUT', `${at}/channels/patient`, {
    type: 'SIP',
    address: PATIENT_NUMBER,
    sip_trunk_id: t.account.trunkId,
    inbound_queue_ref: 'patient',
  });
  return refs.map((ref) => t.token(ref, { tenant: TENANT }));
}

/** More than any load costs. */
const BALANCE = '1000000';

/** From now on the tenant and the account pay for each call, in blocks of a minute. */
export async function payForCalls(t: TestStack): Promise<void> {
  const { slug } = t.account;
  const item = { kind: 'CALL', method: 'FLAT', flat_rate: '0.01' };
  const { plan } = await t.v1.ok<{ plan: { id: number } }>('POST', '/v1/price-plans', {
    name: 'calls',
    items: [item],
  });
  const at = `/v1/tenants/${TENANT}`;
  await t.v1.ok('PUT', `${at}/price-plan`, { price_plan_id: plan.id });
  await t.v1.ok('PUT', `${at}/billing-account`, { mode: 'PREPAID' });
  await t.v1.ok('POST', `${at}/billing/top-ups`, { amount: BALANCE });
  const operators = await t.db.pricePlan.create({
    data: {
      ...{ consumerId: null, name: 'calls', currency: 'USD' },
      items: {
        create: {
          ...{ kind: 'CALL', method: 'FLAT', position: 0, flatRate: '0.01' },
          ...{ initialSeconds: 60, incrementSeconds: 60 },
        },
      },
    },
  });
  await t.clarion(['plan', 'set', '--slug', slug, '--price-plan', String(operators.id)]);
  await t.clarion(['billing', 'open', '--slug', slug, '--mode', 'PREPAID', '--currency', 'USD']);
  await t.clarion(['billing', 'top-up', '--slug', slug, '--amount', BALANCE]);
}
