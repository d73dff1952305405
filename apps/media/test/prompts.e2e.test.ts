/** Prompts, announcements and hold audio as a caller hears them. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { meanPower, sine } from '@clarion/test-phone/audio/goertzel';
import { toSamples } from '@clarion/test-phone/rtp/port';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';

const PROMPT = 'tenants/1/audio/prompt/8k.pcm';
const MUSIC = 'tenants/1/audio/music/8k.pcm';
const PROMPT_MS = 1_230;

let fixture: MediaFixture;
let phone: SipPhone;
let call: SipCall;
let callId: number;
let legId: string;

beforeAll(async () => {
  fixture = await MediaFixture.start();
  await fixture.putAudio(PROMPT, sine(700, 8_000, PROMPT_MS * 8));
  await fixture.putAudio(MUSIC, sine(300, 8_000, 8_000));
});
afterEach(async () => {
  await fixture.realtime.command('call:release', { callId });
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
  phone.close();
});
afterAll(() => fixture.close());

/** A caller whose INVITE is pending. */
async function incomingCall(): Promise<void> {
  callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  phone = await SipPhone.open({ laws: ['PCMA'] });
  call = await phone.call('1', fixture.sip);
  await call.rings();
  legId = fixture.realtime.invites.at(-1)?.legId ?? '';
}

async function answer(): Promise<void> {
  await fixture.realtime.command('carrier:answer', { callId, legId });
  await call.answered();
  call.audio.sendTone(440);
}

const prompt = (playId: string) => ({ kind: 'audio', clips: [{ file: PROMPT }], loop: false, playId });

/** How many ms of the received audio are loud. */
function loudMs(): number {
  const samples = toSamples(call.audio.heard, 'PCMA');
  let loud = 0;
  for (let at = 0; at + 40 <= samples.length; at += 40) {
    if (meanPower(samples.subarray(at, at + 40)) > 100_000) loud += 5;
  }
  return loud;
}

test('a prompt in a route before the answer is played once and completely, and its end is reported', async () => {
  await incomingCall();
  await fixture.route(callId, { [legId]: [prompt('p1')] });
  await answer();
  const played = await fixture.realtime.fact('leg:played', legId);
  expect(played).toMatchObject({ callId, playId: 'p1', played: true });
  const heardAtTheEnd = call.audio.heard.length;
  // The engine may send the same route again: nothing is played or reported again.
  await fixture.route(callId, { [legId]: [prompt('p1')] });
  await eventually('silence follows', () => call.audio.heard.length > heardAtTheEnd + 25);
  expect(Math.abs(loudMs() - PROMPT_MS)).toBeLessThanOrEqual(20);
  expect(fixture.realtime.count('leg:played', legId)).toBe(1);
});

test('the same playId continues where it is, and another one starts from the beginning', async () => {
  await incomingCall();
  await answer();
  await fixture.route(callId, { [legId]: [prompt('p1')] });
  await eventually('half of it is heard', () => loudMs() >= 600);
  await fixture.route(callId, { [legId]: [prompt('p1')] });
  await fixture.realtime.fact('leg:played', legId);
  expect(Math.abs(loudMs() - PROMPT_MS)).toBeLessThanOrEqual(20);
  await fixture.route(callId, { [legId]: [prompt('p2')] });
  await eventually('the second one is reported', () => fixture.realtime.count('leg:played', legId) === 2);
  expect(Math.abs(loudMs() - 2 * PROMPT_MS)).toBeLessThanOrEqual(40);
});

test('words and files are played in sequence, music loops, and an unavailable clip is reported or replaced by the hold tone', async () => {
  await incomingCall();
  await answer();
  const sentence = [{ word: 'press' }, { word: '1' }, { file: PROMPT }];
  await fixture.route(callId, {
    [legId]: [{ kind: 'audio', clips: sentence, loop: false, playId: 'words' }],
  });
  await eventually(
    'the file is heard after the words',
    () => containsTone(call.audio.heard, 'PCMA', 700),
    6_000,
  );
  await fixture.realtime.fact('leg:played', legId);

  await fixture.route(callId, {
    [legId]: [{ kind: 'audio', clips: [{ file: MUSIC }], loop: true, playId: 'music' }],
  });
  await eventually(
    'more than one whole loop is heard',
    () => containsTone(call.audio.heard, 'PCMA', 300, 1_200),
    6_000,
  );

  const gone = [{ file: 'tenants/1/audio/gone/8k.pcm' }];
  await fixture.route(callId, { [legId]: [{ kind: 'audio', clips: gone, loop: false, playId: 'gone' }] });
  await eventually('it is reported', () => fixture.realtime.count('leg:played', legId) === 2);
  const lastFact = fixture.realtime.facts.findLast((one) => one.fact === 'leg:played');
  expect(lastFact?.payload).toMatchObject({ playId: 'gone', played: false });
  await fixture.route(callId, { [legId]: [{ kind: 'audio', clips: gone, loop: true, playId: 'gone2' }] });
  await eventually('the hold tone is heard', () => containsTone(call.audio.heard, 'PCMA', 440, 300));
});
