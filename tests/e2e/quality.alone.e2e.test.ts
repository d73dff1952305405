/** The call quality in the call detail when the network loses packets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { callDetail } from '@clarion/protocol/call';
import { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { TestStack } from '@clarion/testkit/stack/stack';
import { LossyRelay } from '@clarion/test-phone/rtp/lossy-relay';
import { lifeOf, openCallCentre, type CallCentreFixture } from '@clarion/testkit/stack/call-centre';
import { phoneSdp } from '@clarion/test-phone/sip/sdp';

const LOSS = 0.1;
/** mediasoup counts lost packets every five seconds, when it sends a report for the stream. */
const TALK_MS = 16_000;
const CLOSE_PERCENT = 2;

let t: TestStack;
let shop: CallCentreFixture;
let ada: ScriptedAgent;

beforeAll(async () => {
  t = await TestStack.share();
  shop = await openCallCentre(t);
  ada = await ScriptedAgent.connect({ url: t.baseUrl, token: () => t.token('ada') });
  await ada.available();
});
afterAll(async () => {
  ada?.close();
  await t?.stop();
});

test('the loss of a tenth of the customer’s packets is in the call detail, with a lower score than for the agent', async () => {
  const network = await LossyRelay.open({ loss: LOSS });
  const phone = await t.phone({ laws: ['PCMA'] });
  const call = await phone.call(shop.main, t.sip, { sdp: phoneSdp(network.inside, ['PCMA']) });
  const { callId } = await ada.incoming();
  const agent = await ada.accept(callId);
  await call.answered();
  if (!call.audio.remote) throw new Error('the SDP of the service has no address');
  network.leadTo(call.audio.remote);
  call.audio.remote = network.outside;
  call.audio.sendTone(440);
  agent.sendTone(1_000);
  await vi.waitFor(() => expect(call.audio.heard.length).toBeGreaterThan(50), 10_000);
  await sleep(TALK_MS);
  await call.hangUp();
  await lifeOf(t, callId);

  const { legs } = await vi.waitFor(async () => {
    const detail = callDetail.parse(await t.v1.ok('GET', `/v1/calls/${callId}`));
    expect(detail.legs.map(({ quality }) => quality)).not.toContain(null);
    return detail;
  }, 5_000);
  const customer = legs.find(({ type }) => type === 'CUSTOMER')?.quality;
  const other = legs.find(({ type }) => type === 'AGENT')?.quality;
  const lostPercent = (100 * network.dropped) / network.passed;
  expect(Math.abs((customer?.lossPercent ?? 0) - lostPercent)).toBeLessThan(CLOSE_PERCENT);
  expect(customer).toMatchObject({ codec: 'PCMA' });
  expect(other).toMatchObject({ codec: 'PCMA', lossPercent: 0, mos: expect.closeTo(4.4, 1) });
  expect(customer?.mos).toBeLessThan(3.7);
  network.close();
});
