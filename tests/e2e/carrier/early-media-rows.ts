/** What an agent hears before the carrier answers. */
import { isSounding } from '@clarion/test-phone/carrier/hearing';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import { agentHearsEarly, asTalk, seen } from './steps.ts';
import { SCRIPTED, dialOut, type CarrierRow, type Ringing } from './talk.ts';

/** Our ring tone is on for one second in five. */
const RING_TONE_WITHIN_MS = 5_500;

async function hearsRingTone(ringing: Ringing): Promise<void> {
  const { leg } = asTalk(ringing);
  await seen(() => isSounding(leg), 'the agent heard no ring tone', RING_TONE_WITHIN_MS);
}

async function playsEarlyMedia(ringing: Ringing): Promise<void> {
  ringing.far.audio.sendTone(ringing.carrierHz);
  await agentHearsEarly(asTalk(ringing));
}

export const earlyMediaRows: CarrierRow[] = [
  {
    behaviour: 'sends audio with 183',
    cites: 'RFC 3960 §3, RFC 3261 §21.1.5',
    way: 'out',
    answer: SCRIPTED,
    async ringing(ringing) {
      ringing.far.progress(183, 'Session Progress', { sdp: carrierSdp(ringing.far) });
      await playsEarlyMedia(ringing);
      ringing.far.answerWith(carrierSdp(ringing.far, { sameVersion: true }));
    },
  },
  {
    behaviour: 'sends audio with 180',
    cites: 'RFC 3960 §3.2',
    way: 'out',
    answer: SCRIPTED,
    async ringing(ringing) {
      ringing.far.progress(180, 'Ringing', { sdp: carrierSdp(ringing.far) });
      await playsEarlyMedia(ringing);
      ringing.far.answerWith(carrierSdp(ringing.far, { sameVersion: true }));
    },
  },
  {
    behaviour: 'rings first and sends audio later, with 183',
    cites: 'RFC 3960 §3.2',
    way: 'out',
    answer: SCRIPTED,
    async ringing(ringing) {
      ringing.far.progress(180, 'Ringing');
      ringing.far.progress(183, 'Session Progress', { sdp: carrierSdp(ringing.far) });
      await playsEarlyMedia(ringing);
      ringing.far.answerWith(carrierSdp(ringing.far, { sameVersion: true }));
    },
  },
  {
    behaviour: 'continues its audio after a 180 that follows the 183',
    cites: 'RFC 3960 §3.2',
    way: 'out',
    answer: SCRIPTED,
    async ringing(ringing) {
      ringing.far.progress(183, 'Session Progress', { sdp: carrierSdp(ringing.far) });
      await playsEarlyMedia(ringing);
      ringing.far.progress(180, 'Ringing');
      await agentHearsEarly(asTalk(ringing));
      ringing.far.answerWith(carrierSdp(ringing.far, { sameVersion: true }));
    },
  },
  {
    behaviour: 'rings without SDP: the agent hears our ring tone',
    cites: 'RFC 3960 §3.2',
    way: 'out',
    answer: SCRIPTED,
    async ringing(ringing) {
      ringing.far.progress(180, 'Ringing');
      await hearsRingTone(ringing);
      ringing.far.answerWith(ringing.far.sdp());
    },
  },
  {
    behaviour: 'sends SDP in a 183 and no audio: the agent hears our ring tone',
    cites: 'RFC 3960 §3.2',
    way: 'out',
    answer: SCRIPTED,
    async ringing(ringing) {
      ringing.far.progress(183, 'Session Progress', { sdp: carrierSdp(ringing.far) });
      await hearsRingTone(ringing);
      ringing.far.answerWith(carrierSdp(ringing.far, { sameVersion: true }));
    },
  },
  {
    behaviour: 'sends audio before any SDP',
    cites: 'RFC 3264 §5.1',
    way: 'out',
    answer: SCRIPTED,
    async ringing({ far, carrierHz }) {
      far.audio.sendTone(carrierHz);
      far.progress(180, 'Ringing');
      far.answerWith(carrierSdp(far));
    },
  },
  {
    behaviour: 'plays an announcement, then rejects the call',
    cites: 'RFC 3960 §3, RFC 3261 §21.4.24',
    way: 'whole',
    async run(scene) {
      const talk = await dialOut(scene, { answer: SCRIPTED });
      talk.far.progress(183, 'Session Progress', { sdp: carrierSdp(talk.far) });
      await playsEarlyMedia(talk);
      talk.far.refuse(486, 'Busy Here', 17);
      return { callId: talk.callId, far: talk.far };
    },
    ends: { reason: 'REJECTED', by: 'CUSTOMER', wire: ['refused', 486], agentRef: 'ada' },
  },
];
