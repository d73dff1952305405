/** Remote parties that send and ask for packets other than 20 ms. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encode } from '@clarion/test-phone/rtp/g711';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { pacer } from '@clarion/test-phone/rtp/pacer';
import { streamQuality, type RtpPort } from '@clarion/test-phone/rtp/port';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { CarrierLeg } from '../src/leg/carrier-leg.ts';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';

let fixture: MediaFixture;
let stop: (() => void) | null = null;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(() => {
  stop?.();
  stop = null;
});
afterAll(() => fixture.close());

/** Sends a tone in packets of `ms`, a multiple of 10. */
function sendTone(audio: RtpPort, hz: number, ms: number): void {
  let [sampled, due] = [0, 0];
  stop = pacer.add(() => {
    for (due += 20; due >= ms; due -= ms) {
      const samples = sine(hz, 8_000, ms * 8, { amplitude: 8_000, startSample: sampled });
      sampled += ms * 8;
      audio.sendPacket(encode('PCMA', samples));
      audio.timestamp = (audio.timestamp + ms * 8) >>> 0;
    }
  });
}

interface CallInProgress {
  callId: number;
  legId: string;
  audio: RtpPort;
  agent: WebRtcLeg;
  leg: CarrierLeg;
}

/** Runs `work` in an answered call whose remote party asks for packets of `ptimeMs`. */
async function inCall(ptimeMs: number, work: (call: CallInProgress) => Promise<void>): Promise<void> {
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const phone = await SipPhone.open({ laws: ['PCMA'] });
  const agent = await fixture.agent(callId, `agent-${callId}`);
  const sdp = (call: SipCall) => call.sdp().replace('a=ptime:20', `a=ptime:${ptimeMs}`);
  const call = await phone.call('1', fixture.sip, { sdp });
  try {
    await call.rings();
    const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
    await fixture.route(callId, {
      [legId]: [{ kind: 'leg', legId: `agent-${callId}` }],
      [`agent-${callId}`]: [{ kind: 'leg', legId }],
    });
    await fixture.realtime.command('carrier:answer', { callId, legId });
    await call.answered();
    const leg = fixture.media.calls.carrier(callId, legId);
    if (!leg) throw new Error('the leg does not exist');
    await work({ callId, legId, audio: call.audio, agent, leg });
  } finally {
    await fixture.realtime.command('call:release', { callId });
    await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
    agent.close();
    phone.close();
  }
}

describe.each([10, 20, 30, 40, 60])('a remote party with packets of %i ms', (ptimeMs) => {
  test('is heard, gets the packet length it asks for without gaps, and is handed over only if mediasoup can serve it', async () => {
    await inCall(ptimeMs, async ({ callId, legId, audio, agent, leg }) => {
      agent.sendTone(1_000);
      sendTone(audio, 440, ptimeMs);
      await eventually('the agent hears', () => containsTone(agent.heard, 'PCMA', 440));
      await eventually('the remote party hears', () => containsTone(audio.heard, 'PCMA', 1_000));
      if (ptimeMs === 20) await eventually('it is handed over', () => leg.handedOverTo !== null);
      else expect(leg.handedOverTo).toBeNull();
      await fixture.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
      await eventually('it is on the local endpoint', () => leg.handedOverTo === null);
      audio.heard = [];
      await eventually('a second is heard', () => audio.heard.length * ptimeMs >= 1_000);
      expect(streamQuality(audio.heard)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
      expect(audio.heard.slice(3).every(({ payload }) => payload.length === ptimeMs * 8)).toBe(true);
    });
  });
});
