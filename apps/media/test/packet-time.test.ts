/** Far ends that send and ask for packets other than 20 ms. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encode } from '@clarion/test-phone/rtp/g711';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { pacer } from '@clarion/test-phone/rtp/pacer';
import { streamQuality, type RtpPort } from '@clarion/test-phone/rtp/port';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { CarrierLeg } from '../src/leg/carrier-leg.ts';
import { Bench } from './bench.ts';
import { hears } from './calls.ts';
import { eventually } from './fake-realtime.ts';

let bench: Bench;
let stop: (() => void) | null = null;

beforeAll(async () => {
  bench = await Bench.start();
});
afterEach(() => {
  stop?.();
  stop = null;
});
afterAll(() => bench.close());

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

interface Talk {
  callId: number;
  legId: string;
  audio: RtpPort;
  agent: WebRtcLeg;
  leg: CarrierLeg;
}

/** Runs `work` in an answered call whose far end asks for packets of `ptimeMs`. */
async function inTalk(ptimeMs: number, work: (talk: Talk) => Promise<void>): Promise<void> {
  const callId = bench.callId();
  bench.realtime.answer = () => ({ action: 'accept', callId, sourceCidrs: [], ownEndpoint: false });
  const phone = await SipPhone.open({ laws: ['PCMA'] });
  const agent = await bench.agent(callId, `agent-${callId}`);
  const sdp = (call: SipCall) => call.sdp().replace('a=ptime:20', `a=ptime:${ptimeMs}`);
  const call = await phone.call('1', bench.sip, { sdp });
  try {
    await call.rings();
    const legId = bench.realtime.questions.at(-1)?.legId ?? '';
    await bench.route(callId, {
      [legId]: [{ kind: 'leg', legId: `agent-${callId}` }],
      [`agent-${callId}`]: [{ kind: 'leg', legId }],
    });
    await bench.realtime.command('carrier:answer', { callId, legId });
    await call.answered();
    const leg = bench.media.calls.carrier(callId, legId);
    if (!leg) throw new Error('the leg is not there');
    await work({ callId, legId, audio: call.audio, agent, leg });
  } finally {
    await bench.realtime.command('call:release', { callId });
    await eventually('the call is gone', () => bench.media.calls.find(callId) === undefined);
    agent.close();
    phone.close();
  }
}

describe.each([10, 20, 30, 40, 60])('a far end with packets of %i ms', (ptimeMs) => {
  test('is heard, gets the packet length it asks for without a gap, and is handed over only where mediasoup can serve it', async () => {
    await inTalk(ptimeMs, async ({ callId, legId, audio, agent, leg }) => {
      agent.sendTone(1_000);
      sendTone(audio, 440, ptimeMs);
      await eventually('the agent hears', () => hears(agent.heard, 'PCMA', 440));
      await eventually('the far end hears', () => hears(audio.heard, 'PCMA', 1_000));
      if (ptimeMs === 20) await eventually('it is handed over', () => leg.handedTo !== null);
      else expect(leg.handedTo).toBeNull();
      await bench.route(callId, { [legId]: [{ kind: 'tone', tone: 'hold' }] });
      await eventually('it is held', () => leg.handedTo === null);
      audio.heard = [];
      await eventually('a second is heard', () => audio.heard.length * ptimeMs >= 1_000);
      expect(streamQuality(audio.heard)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
      expect(audio.heard.slice(3).every(({ payload }) => payload.length === ptimeMs * 8)).toBe(true);
    });
  });
});
