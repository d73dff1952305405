/** After any events in any order and at any speed, a call works or has ended, and nothing is left behind. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamQuality, type Heard } from '@clarion/test-phone/rtp/port';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, containsTone, type Bridged } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';

let fixture: MediaFixture;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterAll(() => fixture.close());

const actions = [
  'bridge',
  'hold',
  'silence',
  'ssrc',
  'keys',
  'carrierHold',
  'carrierResume',
  'replace',
  'wait',
] as const;
type Action = (typeof actions)[number];

async function act(action: Action, bridged: Bridged, agents: WebRtcLeg[]): Promise<unknown> {
  const { callId, carrierLegId, call } = bridged;
  switch (action) {
    case 'bridge':
      return bridged.bridge();
    case 'hold':
      return bridged.hold();
    case 'silence':
      return fixture.route(callId, {});
    case 'ssrc':
      return call.audio.changeSsrc();
    case 'keys':
      return fixture.realtime.command('leg:dtmf', { callId, legId: carrierLegId, digits: '1' });
    case 'carrierHold':
      return call.reinvite('sendonly');
    case 'carrierResume':
      return call.reinvite('sendrecv');
    case 'replace': {
      const next = `${bridged.agentLegId}+`;
      const leg = await fixture.agent(callId, next, { replaces: bridged.agentLegId });
      leg.sendTone(1_000);
      agents.push(leg);
      bridged.agentLegId = next;
      bridged.agent = leg;
      return undefined;
    }
    case 'wait':
      return new Promise((resolve) => setTimeout(resolve, 60));
  }
}

test('a call works after any sequence of routes, holds, digits, new streams and new devices', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...actions), { minLength: 5, maxLength: 15 }),
      async (storm) => {
        const bridged = await bridgedCall(fixture);
        const agents = [bridged.agent];
        for (const action of storm) {
          const done = act(action, bridged, agents);
          // Only the actions of the remote parties are awaited: a second re-INVITE during another would be rejected.
          if (
            action === 'carrierHold' ||
            action === 'carrierResume' ||
            action === 'replace' ||
            action === 'wait'
          )
            await done;
        }
        await bridged.call.reinvite('sendrecv');
        await bridged.bridge();
        await eventually(
          'the agent hears the carrier',
          () => containsTone(bridged.agent.heard, 'PCMA', 440),
          10_000,
        );
        await eventually(
          'the carrier hears the agent',
          () => containsTone(bridged.call.audio.heard, 'PCMA', 1_000),
          10_000,
        );
        await eventually('the call is handed over', () => bridged.leg.handedOverTo !== null, 10_000);
        // With each SSRC, the carrier never receives a sequence number twice or out of order.
        const voice = bridged.call.audio.heard.filter(
          (packet: Heard) => packet.payloadType === 8 || packet.payloadType === 101,
        );
        expect(streamQuality(voice)).toMatchObject({ duplicates: 0, outOfOrder: 0 });
        await bridged.close();
        for (const agent of agents) agent.close();
        expect(fixture.media.calls.all).toHaveLength(0);
      },
    ),
    // A failing sequence is not shrunk: it depends on timing, and what it leaves behind would fail the next run.
    { numRuns: 6, interruptAfterTimeLimit: 40_000, endOnFailure: true },
  );
}, 90_000);
