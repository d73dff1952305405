/** DTMF from the carrier to a menu, and from an agent to the carrier. There are two menus, so that a key that is counted twice is detected. */
import assert from 'node:assert/strict';
import { keysHeard, pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import { requestOf } from '@clarion/test-phone/carrier/dialog';
import { hears } from '@clarion/test-phone/carrier/hearing';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import type { CallOptions } from '@clarion/test-phone/sip/phone';
import { header } from '@clarion/test-phone/sip/message';
import type { PhoneScene } from '../outcomes/phone-scene.ts';
import { agentPresses, expectStatus, seen } from './steps.ts';
import { SCRIPTED, type CarrierRow, type Talk, tones } from './talk.ts';

/** The prompts of the menus. */
const FIRST_PROMPT_HZ = 700;
const SECOND_PROMPT_HZ = 900;
const PROMPT_WITHIN_MS = 3_000;

/** In the first menu, key 1 leads to the second one, in which 2 leads to `ada` and 1 hangs up. */
async function dialMenus(scene: PhoneScene, invite: CallOptions = {}) {
  const ada = await scene.agent('ada');
  const person = { targetType: 'agent', targetId: await scene.agentId('ada') };
  const number = await scene.flow(
    [
      { id: 'first', type: 'ivr_menu', data: await scene.menu(FIRST_PROMPT_HZ) },
      { id: 'second', type: 'ivr_menu', data: await scene.menu(SECOND_PROMPT_HZ) },
      { id: 'person', type: 'ivr_transfer', data: person },
    ],
    [
      { source: 'start', target: 'first' },
      { source: 'first', target: 'second', sourceHandle: '1' },
      { source: 'second', target: 'person', sourceHandle: '2' },
      { source: 'second', target: 'end', sourceHandle: '1' },
    ],
  );
  const far = await scene.dialIn(number, invite);
  await far.answered();
  return { ada, far };
}

type Press = (far: Talk['far'], key: string) => Promise<unknown>;

/** The carrier presses 1 and 2, and so reaches the agent. */
const presses = (behaviour: string, cites: string, press: Press, invite?: CallOptions): CarrierRow => ({
  behaviour,
  cites,
  way: 'in',
  async reach(scene) {
    const { ada, far } = await dialMenus(scene, invite);
    const hertz = tones();
    far.audio.sendTone(hertz.carrierHz);
    const prompted = (hz: number) => hears(far.audio, hz, { who: 'the caller', withinMs: PROMPT_WITHIN_MS });
    await prompted(FIRST_PROMPT_HZ);
    await Promise.all([prompted(SECOND_PROMPT_HZ), press(far, '1')]);
    await press(far, '2');
    const { callId } = await ada.incoming();
    const leg = await ada.accept(callId);
    return { scene, ada, far, callId, leg, how: {}, ...hertz };
  },
  voice: () => undefined,
});

const info = (type: string, body: (key: string) => string): Press => {
  return async (far, key) => expectStatus(await far.sendInfo(body(key), type), 200);
};
const relay = info('application/dtmf-relay', (key) => `Signal=${key}\r\nDuration=160\r\n`);

const withEventType = (eventType: number): CallOptions => ({
  sdp: (call) => carrierSdp(call, { eventType }),
});

export const dtmfRows: CarrierRow[] = [
  presses('presses keys as telephone events', 'RFC 4733 §2.3, §2.5', (far, key) => pressKeys(far.audio, key)),
  presses(
    'gives telephone events the payload type 96',
    'RFC 4733 §2.1, RFC 3264 §5.1',
    (far, key) => pressKeys(far.audio, key, { payloadType: 96 }),
    withEventType(96),
  ),
  presses('sends telephone events under a separate SSRC', 'RFC 4733 §2.3, RFC 3550 §5.2', (far, key) =>
    pressKeys(far.audio, key, { ssrc: 0x1234_5678 }),
  ),
  presses('loses two of the three last packets of a key', 'RFC 4733 §2.5.1.4', (far, key) =>
    pressKeys(far.audio, key, { endRepeats: 1 }),
  ),
  presses('loses all the last packets of a key', 'RFC 4733 §2.5.1.4, §2.5.1.5', (far, key) =>
    pressKeys(far.audio, key, { endRepeats: 0 }),
  ),
  presses('presses keys by INFO, application/dtmf-relay', 'RFC 6086 §4.2', relay),
  presses(
    'presses keys by INFO, application/dtmf',
    'RFC 6086 §4.2',
    info('application/dtmf', (key) => key),
  ),
  presses(
    'reports each key both by INFO and as a telephone event',
    'RFC 6086 §4.2, RFC 4733 §2.5',
    (far, key) => Promise.all([pressKeys(far.audio, key), relay(far, key)]),
  ),
  {
    behaviour: 'receives the keys of an agent as telephone events, with the payload type that it specified',
    cites: 'RFC 4733 §2.5.1, RFC 3264 §6.1',
    way: 'out',
    answer: SCRIPTED,
    ringing: ({ far }) => far.answerWith(carrierSdp(far, { eventType: 97 })),
    async talk(talk) {
      await agentPresses(talk, '5#');
      await seen(() => keysHeard(talk.far.audio, 97) === '5#', 'the carrier received no keys');
    },
  },
  {
    behaviour: 'receives the keys of an agent by INFO if it does not support telephone events',
    cites: 'RFC 6086 §4.2, RFC 4733 §2.1',
    way: 'out',
    answer: SCRIPTED,
    ringing: ({ far }) => far.answerWith(carrierSdp(far, { eventType: null })),
    async talk(talk) {
      await agentPresses(talk, '7');
      const request = await requestOf(talk.far, ({ method }) => method === 'INFO', 'an INFO');
      assert.match(header(request, 'content-type'), /^application\/dtmf-relay/);
      assert.match(request.body, /^Signal\s*=\s*7/m);
    },
  },
  {
    behaviour: 'receives the keys of an agent in an inbound call, and then hears the agent again',
    cites: 'RFC 4733 §2.5.1.2',
    way: 'in',
    async talk(talk) {
      await agentPresses(talk, '12');
      await seen(() => keysHeard(talk.far.audio, 101) === '12', 'the carrier received no keys');
    },
  },
];
