/** Listeners of a call other than its two parties: a supervisor, the recorder. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { VoiceSource } from '../src/leg/voice-source.ts';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, containsTone, type Bridged } from './support/calls.ts';
import { arrivalOf, countOf, sendCounted } from './support/numbered-audio.ts';
import { eventually } from './support/fake-realtime.ts';

let fixture: MediaFixture;
let bridged: Bridged;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(() => bridged.close());
afterAll(() => fixture.close());

interface Tap {
  counts: number[];
  steps: { sequence: number; timestamp: number; ssrc: number }[];
  stop: () => void;
}

function tap(voice: VoiceSource): Tap {
  const counts: number[] = [];
  const steps: Tap['steps'] = [];
  const stop = voice.listen((packet) => {
    const count = countOf(packet.payload);
    if (count === null) return;
    counts.push(count);
    steps.push({ sequence: packet.sequenceNumber, timestamp: packet.timestamp, ssrc: packet.ssrc });
  });
  return { counts, steps, stop };
}

test('taps of a handed-over call receive every packet of both parties, and the call stays on the direct path', async () => {
  bridged = await bridgedCall(fixture);
  const { call, agent, leg, callId, agentLegId } = bridged;
  sendCounted(call.audio);
  sendCounted(agent);
  const agentLeg = fixture.media.calls.find(callId)?.legs.get(agentLegId);
  const taps = [tap(leg.voice), ...(agentLeg ? [tap(agentLeg.voice)] : [])];
  const movesBefore = Number((await leg.stats())['moves']);
  await eventually('two seconds are heard', () => taps.every((one) => one.counts.length > 100));
  for (const one of taps) {
    expect(arrivalOf(one.counts)).toMatchObject({ lost: 0, repeated: 0, outOfOrder: 0 });
    one.stop();
  }
  expect(taps).toHaveLength(2);
  expect(Number((await leg.stats())['moves'])).toBe(movesBefore);
});

test('a tap continues across hand-overs and SSRC changes, with at most one packet lost each and consecutive numbering', async () => {
  bridged = await bridgedCall(fixture);
  const { call, leg } = bridged;
  sendCounted(call.audio);
  const ear = tap(leg.voice);
  for (let move = 0; move < 5; move += 1) {
    await bridged.hold();
    await eventually('the leg is on the local endpoint', () => leg.handedOverTo === null);
    const held = ear.counts.length;
    await eventually('it is heard on the local endpoint', () => ear.counts.length > held + 5);
    await bridged.bridge();
    await eventually('the leg is handed over', () => leg.handedOverTo !== null);
    const handed = ear.counts.length;
    await eventually('it is heard on mediasoup', () => ear.counts.length > handed + 5);
  }
  const arrival = arrivalOf(ear.counts);
  expect(arrival).toMatchObject({ repeated: 0, outOfOrder: 0 });
  expect(arrival.lost).toBeLessThanOrEqual(10);
  expect(arrival.longestGap).toBeLessThanOrEqual(1);
  const jumps = ear.steps.filter(({ sequence, timestamp }, index) => {
    const before = ear.steps[index - 1];
    if (!before) return false;
    const packets = ((timestamp - before.timestamp) | 0) / 160;
    return ((sequence - before.sequence) & 0xffff) !== packets;
  });
  expect(jumps).toEqual([]);
  expect(new Set(ear.steps.map((step) => step.ssrc))).toEqual(new Set([call.audio.ssrc]));

  call.audio.changeSsrc();
  await eventually('the new SSRC is heard', () => ear.steps.at(-1)?.ssrc === call.audio.ssrc);
  const after = ear.counts.length;
  await eventually('it continues', () => ear.counts.length > after + 10);
  ear.stop();
}, 20_000);

test('a call stays handed over when a supervisor starts and stops listening to the caller', async () => {
  bridged = await bridgedCall(fixture);
  const { callId, agentLegId, carrierLegId, leg } = bridged;
  const supervisor = await fixture.agent(callId, 'supervisor');
  await fixture.route(callId, {
    [carrierLegId]: [{ kind: 'leg', legId: agentLegId }],
    [agentLegId]: [{ kind: 'leg', legId: carrierLegId }],
    supervisor: [{ kind: 'leg', legId: carrierLegId }],
  });
  await eventually('the supervisor hears the caller', () => containsTone(supervisor.heard, 'PCMA', 440));
  expect(leg.handedOverTo).not.toBeNull();
  await fixture.realtime.command('leg:hangup', { callId, legId: 'supervisor' });
  await eventually('there is no listener any more', () => !leg.voice.hasListeners);
  expect(leg.handedOverTo).not.toBeNull();
  supervisor.close();
});
