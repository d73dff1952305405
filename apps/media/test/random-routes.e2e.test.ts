/** Routes that change faster than in practice: no leg gets stuck, and the numbering stays correct. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { streamQuality } from '@clarion/test-phone/rtp/port';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, containsTone } from './support/calls.ts';
import { arrivalOf, countOf, sendCounted } from './support/numbered-audio.ts';
import { eventually } from './support/fake-realtime.ts';

const CLIP = 'tenants/1/audio/clip/8k.pcm';
const CHANGES_PER_SECOND = 20;
const SECONDS = 10;

let fixture: MediaFixture;
beforeAll(async () => {
  fixture = await MediaFixture.start();
  await fixture.putAudio(CLIP, sine(700, 8_000, 4_000));
});
afterAll(() => fixture.close());

test('after twenty random routes a second for ten seconds, every leg hears what the last route says', async () => {
  const bridged = await bridgedCall(fixture);
  const { callId, carrierLegId, agentLegId, call, agent, leg } = bridged;
  const supervisor = await fixture.agent(callId, 'supervisor', { as: 'monitor' });
  supervisor.sendTone(1_700);
  const legs = [carrierLegId, agentLegId, 'supervisor'];
  let plays = 0;
  const anySource = () => {
    const choice = Math.random();
    if (choice < 0.7) return { kind: 'leg', legId: legs[Math.floor(Math.random() * legs.length)] };
    if (choice < 0.8) return { kind: 'tone', tone: 'hold' };
    const playId = `play-${Math.random() < 0.5 ? plays : plays++}`;
    return { kind: 'audio', clips: [{ file: CLIP }], loop: Math.random() < 0.3, playId };
  };
  for (let change = 0; change < CHANGES_PER_SECOND * SECONDS; change += 1) {
    const sources = () => Array.from({ length: Math.floor(Math.random() * 4) }, anySource);
    if (change % 3 === 0) await bridged.bridge();
    else await fixture.route(callId, Object.fromEntries(legs.map((legId) => [legId, sources()])));
    if (change % 50 === 25) {
      await fixture.realtime.command('leg:dtmf', { callId, legId: carrierLegId, digits: '5' });
    }
    await sleep(1_000 / CHANGES_PER_SECOND);
  }
  await fixture.route(callId, {
    [carrierLegId]: [{ kind: 'leg', legId: agentLegId }],
    [agentLegId]: [{ kind: 'leg', legId: carrierLegId }],
    supervisor: [
      { kind: 'leg', legId: carrierLegId },
      { kind: 'leg', legId: agentLegId },
    ],
  });
  await eventually('the leg is handed over', () => leg.handedOverTo !== null);
  await eventually(
    'both hear each other',
    () => containsTone(agent.heard, 'PCMA', 440) && containsTone(call.audio.heard, 'PCMA', 1_000),
  );
  const from = supervisor.heard.length;
  await eventually('the supervisor hears half a second', () => supervisor.heard.length > from + 25);
  for (const stream of [call.audio, agent, supervisor]) {
    expect(streamQuality(stream.heard)).toMatchObject({ duplicates: 0, outOfOrder: 0 });
  }
  // The supervisor has one SSRC from us throughout and was sent no more than a second of audio per second.
  const [first] = supervisor.heard;
  const last = supervisor.heard.at(-1);
  const streamed = (((last?.timestamp ?? 0) - (first?.timestamp ?? 0)) | 0) / 8;
  expect(Math.abs(streamed - ((last?.at ?? 0) - (first?.at ?? 0)))).toBeLessThan(250);
  supervisor.close();
  await bridged.close();
}, 40_000);

test('hand-overs during a call lose at most one packet each and send none twice', async () => {
  const bridged = await bridgedCall(fixture);
  const { callId, carrierLegId, agentLegId, call, agent, leg } = bridged;
  sendCounted(agent);
  call.audio.heard = [];
  const rounds = 10;
  for (let round = 0; round < rounds; round += 1) {
    // An unavailable clip is silent, and keeps the leg on the local endpoint while it is in the route.
    const nothing = { kind: 'audio', clips: [{ file: 'gone' }], loop: false, playId: `gone-${round}` };
    await fixture.route(callId, {
      [carrierLegId]: [{ kind: 'leg', legId: agentLegId }, nothing],
      [agentLegId]: [{ kind: 'leg', legId: carrierLegId }],
    });
    await eventually('the leg is on the local endpoint', () => leg.handedOverTo === null);
    await sleep(100);
    await bridged.bridge();
    await eventually('the leg is handed over', () => leg.handedOverTo !== null);
    await sleep(100);
  }
  const counts = call.audio.heard.map((packet) => countOf(packet.payload)).filter((count) => count !== null);
  const arrival = arrivalOf(counts);
  expect(arrival).toMatchObject({ repeated: 0, outOfOrder: 0 });
  expect(arrival.lost).toBeLessThanOrEqual(2 * rounds);
  expect(arrival.longestGap).toBeLessThanOrEqual(1);
  await bridged.close();
}, 30_000);
