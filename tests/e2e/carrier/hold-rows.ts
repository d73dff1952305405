/** How carriers put a call on hold and resume it. */
import assert from 'node:assert/strict';
import { moveAudio, offerlessReinvite, reinvite } from '@clarion/test-phone/carrier/dialog';
import type { SdpChanges } from '@clarion/test-phone/carrier/sdp';
import { expectStatus } from './steps.ts';
import { ENDS, expectAudio, type Audio, type CarrierRow, type Talk } from './talk.ts';

/** Puts the call on hold, checks the remaining audio, and resumes. */
async function holdAndResume(talk: Talk, hold: SdpChanges, audio: Audio, answer: RegExp): Promise<void> {
  const held = await reinvite(talk.far, hold);
  expectStatus(held, 200);
  assert.match(held.body, answer);
  if (hold.direction === 'inactive') talk.far.audio.silence();
  await expectAudio(talk, audio);
  talk.far.audio.sendTone(talk.carrierHz);
  const resumed = await reinvite(talk.far);
  expectStatus(resumed, 200);
  assert.match(resumed.body, /^a=sendrecv/m);
}

export const holdRows: CarrierRow[] = [
  {
    behaviour: 'holds with sendonly: its music is heard',
    cites: 'RFC 3264 §8.4, §6.1',
    way: 'in',
    talk: (talk) => holdAndResume(talk, { direction: 'sendonly' }, 'to-agent', /^a=recvonly/m),
  },
  {
    behaviour: 'holds with inactive',
    cites: 'RFC 3264 §8.4, §6.1',
    way: 'in',
    talk: (talk) => holdAndResume(talk, { direction: 'inactive' }, 'none', /^a=inactive/m),
  },
  {
    behaviour: 'holds with inactive, in an outbound call',
    cites: 'RFC 3264 §8.4, §6.1',
    way: 'out',
    talk: (talk) => holdAndResume(talk, { direction: 'inactive' }, 'none', /^a=inactive/m),
  },
  {
    behaviour: 'only listens',
    cites: 'RFC 3264 §6.1',
    way: 'in',
    async talk(talk) {
      const { far } = talk;
      const listening = await reinvite(far, { direction: 'recvonly' });
      expectStatus(listening, 200);
      assert.match(listening.body, /^a=sendonly/m);
      far.audio.silence();
    },
    audio: 'to-carrier',
  },
  {
    behaviour: 'holds with the address 0.0.0.0, as carriers did before RFC 3264',
    cites: 'RFC 3264 §8.4, RFC 2543 §B.5',
    way: 'in',
    async talk(talk) {
      expectStatus(await reinvite(talk.far, { address: '0.0.0.0' }), 200);
      talk.far.audio.silence();
      await expectAudio(talk, 'none');
      talk.far.audio.sendTone(talk.carrierHz);
      expectStatus(await reinvite(talk.far), 200);
    },
  },
  {
    behaviour: 'holds twice and resumes once',
    cites: 'RFC 3264 §8.4',
    way: 'in',
    async talk(talk) {
      expectStatus(await reinvite(talk.far, { direction: 'sendonly' }), 200);
      await holdAndResume(talk, { direction: 'inactive' }, 'none', /^a=inactive/m);
    },
  },
  {
    behaviour: 'resumes at another port',
    cites: 'RFC 3264 §8.3.1, §8.4',
    way: 'in',
    async talk({ far, carrierHz }) {
      expectStatus(await reinvite(far, { direction: 'inactive' }), 200);
      (await moveAudio(far, carrierHz)).silence();
      expectStatus(await reinvite(far), 200);
    },
  },
  {
    behaviour: 'resumes by an offerless re-INVITE: our offer is sendrecv again',
    cites: 'RFC 3261 §14.2, RFC 6337 §5.2',
    way: 'in',
    async talk(talk) {
      expectStatus(await reinvite(talk.far, { direction: 'sendonly' }), 200);
      await expectAudio(talk, 'to-agent');
      const asked = await offerlessReinvite(talk.far);
      assert.match(asked.body, /^a=sendrecv/m);
    },
  },
  {
    behaviour: 'sends nothing during hold, then talks again',
    cites: 'RFC 3264 §8.4',
    way: 'in',
    async talk(talk) {
      const { far, carrierHz } = talk;
      expectStatus(await reinvite(far, { direction: 'inactive' }), 200);
      far.audio.silence();
      await expectAudio(talk, 'none');
      far.audio.changeSsrc();
      far.audio.sendTone(carrierHz);
      expectStatus(await reinvite(far), 200);
    },
  },
  {
    behaviour: 'hangs up on hold',
    cites: 'RFC 3261 §15.1.1, RFC 3264 §8.4',
    way: 'in',
    async talk({ far }) {
      expectStatus(await reinvite(far, { direction: 'inactive' }), 200);
      far.audio.silence();
    },
    audio: 'none',
  },
  {
    behaviour: 'holds while the agent hangs up',
    cites: 'RFC 3261 §15.1.2, RFC 3264 §8.4',
    way: 'out',
    async talk({ far }) {
      expectStatus(await reinvite(far, { direction: 'sendonly' }), 200);
    },
    audio: 'to-agent',
    hangUp: 'agent',
    ends: ENDS.agent,
  },
];
