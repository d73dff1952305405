/** A call on the shared processes during which the network loses packets of the customer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { callDetail, type CallDetail } from '@clarion/protocol/call';
import { TestStack } from '@clarion/testkit/stack/stack';
import { LossyRelay } from '@clarion/test-phone/rtp/lossy-relay';
import { lifeOf, openCallCentre } from '@clarion/testkit/stack/call-centre';
import { phoneSdp } from '@clarion/test-phone/sip/sdp';

const LOSS = 0.1;
/** mediasoup counts lost packets every five seconds, when it sends a report for the stream. */
const TALK_MS = 16_000;

export interface LossyCall {
  /** Of the customer's packets. */
  lostPercent: number;
  /** With their quality. */
  legs: CallDetail['legs'];
}

export async function lossyCall(): Promise<LossyCall> {
  const t = await TestStack.share();
  const network = await LossyRelay.open({ loss: LOSS });
  try {
    const shop = await openCallCentre(t);
    const ada = await t.agent('ada');
    await ada.available();
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
    return { lostPercent: (100 * network.dropped) / network.passed, legs };
  } finally {
    network.close();
    await t.stop();
  }
}
