/** Prompts, announcements and hold audio as a caller hears them. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { meanPower, sine } from '@clarion/test-phone/audio/goertzel';
import { toSamples } from '@clarion/test-phone/rtp/port';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { Bench } from './bench.ts';
import { hears } from './calls.ts';
import { eventually } from './fake-realtime.ts';

const PROMPT = 'tenants/1/audio/prompt/8k.pcm';
const MUSIC = 'tenants/1/audio/music/8k.pcm';
const PROMPT_MS = 1_230;

let bench: Bench;
let phone: SipPhone;
let call: SipCall;
let callId: number;
let legId: string;

beforeAll(async () => {
  bench = await Bench.start();
  await bench.putSound(PROMPT, sine(700, 8_000, PROMPT_MS * 8));
  await bench.putSound(MUSIC, sine(300, 8_000, 8_000));
});
afterEach(async () => {
  await bench.realtime.command('call:release', { callId });
  await eventually('no leg is left', () => bench.media.calls.legCount === 0);
  phone.close();
});
afterAll(() => bench.close());

/** A caller whose INVITE is kept. */
async function arrives(): Promise<void> {
  callId = bench.callId();
  bench.realtime.answer = () => ({ action: 'accept', callId, sourceCidrs: [], ownEndpoint: false });
  phone = await SipPhone.open({ laws: ['PCMA'] });
  call = await phone.call('1', bench.sip);
  await call.rings();
  legId = bench.realtime.questions.at(-1)?.legId ?? '';
}

async function answer(): Promise<void> {
  await bench.realtime.command('carrier:answer', { callId, legId });
  await call.answered();
  call.audio.sendTone(440);
}

const prompt = (playId: string) => ({ kind: 'audio', clips: [{ file: PROMPT }], loop: false, playId });

/** How many ms of what came are loud. */
function loudMs(): number {
  const samples = toSamples(call.audio.heard, 'PCMA');
  let loud = 0;
  for (let at = 0; at + 40 <= samples.length; at += 40) {
    if (meanPower(samples.subarray(at, at + 40)) > 100_000) loud += 5;
  }
  return loud;
}

test('a prompt given before the answer is heard once, from its start to its end, and its end is told', async () => {
  await arrives();
  await bench.route(callId, { [legId]: [prompt('p1')] });
  await answer();
  const played = await bench.realtime.fact('leg:played', legId);
  expect(played).toMatchObject({ callId, playId: 'p1', played: true });
  const heardAtTheEnd = call.audio.heard.length;
  // The same route again, as the engine may send it: nothing is played or told again.
  await bench.route(callId, { [legId]: [prompt('p1')] });
  await eventually('silence follows', () => call.audio.heard.length > heardAtTheEnd + 25);
  expect(Math.abs(loudMs() - PROMPT_MS)).toBeLessThanOrEqual(20);
  expect(bench.realtime.count('leg:played', legId)).toBe(1);
});

test('the same playId goes on where it is, another one begins at its start', async () => {
  await arrives();
  await answer();
  await bench.route(callId, { [legId]: [prompt('p1')] });
  await eventually('half of it is heard', () => loudMs() >= 600);
  await bench.route(callId, { [legId]: [prompt('p1')] });
  await bench.realtime.fact('leg:played', legId);
  expect(Math.abs(loudMs() - PROMPT_MS)).toBeLessThanOrEqual(20);
  await bench.route(callId, { [legId]: [prompt('p2')] });
  await eventually('the second is told', () => bench.realtime.count('leg:played', legId) === 2);
  expect(Math.abs(loudMs() - 2 * PROMPT_MS)).toBeLessThanOrEqual(40);
});

test('words and files follow each other; music plays for ever; what cannot be had is told, or is the hold tone', async () => {
  await arrives();
  await answer();
  const sentence = [{ word: 'press' }, { word: '1' }, { file: PROMPT }];
  await bench.route(callId, { [legId]: [{ kind: 'audio', clips: sentence, loop: false, playId: 'words' }] });
  await eventually('the file is heard after the words', () => hears(call.audio.heard, 'PCMA', 700), 6_000);
  await bench.realtime.fact('leg:played', legId);

  await bench.route(callId, {
    [legId]: [{ kind: 'audio', clips: [{ file: MUSIC }], loop: true, playId: 'music' }],
  });
  await eventually(
    'more than a whole turn is heard',
    () => hears(call.audio.heard, 'PCMA', 300, 1_200),
    6_000,
  );

  const gone = [{ file: 'tenants/1/audio/gone/8k.pcm' }];
  await bench.route(callId, { [legId]: [{ kind: 'audio', clips: gone, loop: false, playId: 'gone' }] });
  await eventually('it is told', () => bench.realtime.count('leg:played', legId) === 2);
  const told = bench.realtime.facts.findLast((one) => one.fact === 'leg:played');
  expect(told?.payload).toMatchObject({ playId: 'gone', played: false });
  await bench.route(callId, { [legId]: [{ kind: 'audio', clips: gone, loop: true, playId: 'gone2' }] });
  await eventually('the hold tone is heard', () => hears(call.audio.heard, 'PCMA', 440, 300));
});
