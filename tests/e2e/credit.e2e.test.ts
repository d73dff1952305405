/** A real call that a prepaid tenant pays for: its credit is visible while it runs, is extended by a top-up, and ends it for caller and agent. */
import { TestStack } from '@clarion/testkit/stack/stack';
import { lifeOf } from '@clarion/testkit/stack/call-centre';
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { PaidTenant } from '../../prove/credit/paid-tenant.ts';

/** Half a second for the way of the end to the caller on a busy machine. */
const LATE_MS = 1_500;

let t: TestStack;
let tenant: PaidTenant;
beforeAll(async () => {
  t = await TestStack.share();
  tenant = await PaidTenant.open(t);
});
afterEach(() => t.release());
afterAll(() => t?.stop());

/** The agent has accepted the call of a caller. */
async function talk() {
  const agent = await t.agent('ada');
  await agent.available();
  const call = await (await t.phone()).call(tenant.shop.main, t.sip);
  const { callId } = await agent.incoming();
  const leg = await agent.accept(callId);
  leg.sendTone(1000);
  await call.answered();
  return { agent, call, callId, answeredAt: performance.now() };
}

test('the call ends in the second in which its credit does, for the caller and the agent', async () => {
  await tenant.setSeconds(3);
  const { agent, call, callId, answeredAt } = await talk();
  await hearsTone(call.audio, 1000);
  await expect.poll(() => tenant.account()).toMatchObject({ balance: '0.03', reserved: '0.03' });
  await call.ended();
  expect(performance.now() - answeredAt).toBeLessThan(3_000 + LATE_MS);
  await agent.waitFor(({ event, payload }) => event === 'call:ended' && payload.call?.callId === callId);
  const { answered, ended } = await lifeOf(t, callId);
  expect(ended).toMatchObject({ terminationReason: 'CREDIT_EXHAUSTED', terminatedBy: 'SYSTEM' });
  const talkedMs = Date.parse(ended.endedAt ?? '') - Date.parse(answered?.answeredAt ?? '');
  expect(talkedMs).toBeGreaterThan(2_900);
  expect(await tenant.account()).toMatchObject({ balance: '0', reserved: '0' });
  expect(await tenant.problems(callId)).toEqual([]);
});

test('a top-up during the call lets it go on', async () => {
  await tenant.setSeconds(2);
  const { call, callId } = await talk();
  await tenant.topUp(100);
  await expect
    .poll(async () => Number((await tenant.account()).reserved), { timeout: 5_000 })
    .toBeGreaterThan(0.5);
  expect(call.state).toBe('answered');
  await call.hangUp();
  await lifeOf(t, callId);
  expect(await tenant.problems(callId)).toEqual([]);
});

test('the next call is rejected when nothing is left, and recorded', async () => {
  await tenant.setSeconds(0);
  const call = await (await t.phone()).call(tenant.shop.main, t.sip);
  expect(await call.ended()).toMatchObject({ how: 'refused', status: 503 });
  const { calls } = await t.v1.ok<{ calls: { terminationReason: string }[] }>(
    'GET',
    '/v1/tenants/shop/calls?limit=1',
  );
  expect(calls[0]).toMatchObject({ terminationReason: 'CREDIT_EXHAUSTED' });
});
