/** Whatever happens to a call, in whatever order and however fast: afterwards it works, or is over, and nothing is left. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamQuality, type Heard } from '@clarion/test-phone/rtp/port';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { Bench } from './bench.ts';
import { bridgedCall, hears, type Bridged } from './calls.ts';
import { eventually } from './fake-realtime.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await Bench.start();
});
afterAll(() => bench.close());

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
      return bench.route(callId, {});
    case 'ssrc':
      return call.audio.changeSsrc();
    case 'keys':
      return bench.realtime.command('leg:dtmf', { callId, legId: carrierLegId, digits: '1' });
    case 'carrierHold':
      return call.reinvite('sendonly');
    case 'carrierResume':
      return call.reinvite('sendrecv');
    case 'replace': {
      const next = `${bridged.agentLegId}+`;
      const leg = await bench.agent(callId, next, { replaces: bridged.agentLegId });
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

test('a call survives any storm of routes, holds, keys, new streams and new devices', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...actions), { minLength: 5, maxLength: 15 }),
      async (storm) => {
        const bridged = await bridgedCall(bench);
        const agents = [bridged.agent];
        for (const action of storm) {
          const done = act(action, bridged, agents);
          // Only what the far ends do is waited for: a second re-INVITE while one runs would be refused.
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
          () => hears(bridged.agent.heard, 'PCMA', 440),
          10_000,
        );
        await eventually(
          'the carrier hears the agent',
          () => hears(bridged.call.audio.heard, 'PCMA', 1_000),
          10_000,
        );
        await eventually('the call is handed over', () => bridged.leg.handedTo !== null, 10_000);
        // Under each SSRC the carrier never sees a number twice or going back.
        const voice = bridged.call.audio.heard.filter(
          (packet: Heard) => packet.payloadType === 8 || packet.payloadType === 101,
        );
        expect(streamQuality(voice)).toMatchObject({ duplicates: 0, outOfOrder: 0 });
        await bridged.close();
        for (const agent of agents) agent.close();
        expect(bench.media.calls.all).toHaveLength(0);
      },
    ),
    // A storm is not shrunk: what fails once depends on time, and its leftovers would fail the next.
    { numRuns: 6, interruptAfterTimeLimit: 40_000, endOnFailure: true },
  );
}, 90_000);
