/** How carriers change an established call: re-INVITE and UPDATE, with and without an offer, and overlapping. */
import assert from 'node:assert/strict';
import { moveAudio, offerlessReinvite, reinvite, update } from '@clarion/test-phone/carrier/dialog';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import { uriOf } from '@clarion/test-phone/sip/message';
import { expectHeader, expectStatus, lastRequest } from './steps.ts';
import { ENDS, expectAudio, type CarrierRow, type Talk } from './talk.ts';

const SDP = 'application/sdp';
const UNKNOWN_CODEC = { formats: [18], lines: ['a=rtpmap:18 G729/8000'] };

/** Moves the audio to a new port while the last packets from the old one are still in flight. */
async function moveWith(talk: Talk, tell: (talk: Talk) => Promise<{ status: number }>): Promise<void> {
  const old = await moveAudio(talk.far, talk.carrierHz);
  expectStatus(await tell(talk), 200);
  old.silence();
}

export const sessionRows: CarrierRow[] = [
  {
    behaviour: 'repeats its description in a re-INVITE',
    cites: 'RFC 3264 §8, RFC 3261 §14.2',
    way: 'in',
    async talk({ far }) {
      expectStatus(await reinvite(far, { sameVersion: true }), 200);
    },
  },
  {
    behaviour: 'moves its audio to another port by re-INVITE',
    cites: 'RFC 3264 §8.3.1',
    way: 'in',
    talk: (talk) => moveWith(talk, ({ far }) => reinvite(far)),
  },
  {
    behaviour: 'moves its audio to another port by re-INVITE, in an outbound call',
    cites: 'RFC 3264 §8.3.1',
    way: 'out',
    talk: (talk) => moveWith(talk, ({ far }) => reinvite(far)),
  },
  {
    behaviour:
      'moves to a port from which it sends immediately, and stops sending from the old one a moment later',
    cites: 'RFC 3264 §8.3.1',
    way: 'in',
    async talk({ far, carrierHz }) {
      const old = await moveAudio(far, carrierHz);
      // Packets of the old source that were in flight when the description changed.
      old.network = (_, go) => void setTimeout(go, 120);
      expectStatus(await reinvite(far), 200);
      old.silence();
    },
  },
  {
    behaviour: 'moves its audio twice and back again',
    cites: 'RFC 3264 §8.3.1',
    way: 'in',
    async talk(talk) {
      const first = talk.far.audio;
      await moveWith(talk, ({ far }) => reinvite(far));
      await expectAudio(talk, 'both');
      const second = talk.far.audio;
      talk.far.audio = first;
      first.remote = second.remote;
      second.silence();
      first.sendTone(talk.carrierHz);
      expectStatus(await reinvite(talk.far), 200);
    },
  },
  {
    behaviour: 'requests our offer by a re-INVITE and answers it in the ACK',
    cites: 'RFC 3261 §14.2, RFC 3264 §5',
    way: 'in',
    async talk({ far }) {
      const response = await offerlessReinvite(far);
      expectStatus(response, 200);
      assert.match(response.body, /^a=sendrecv/m);
    },
  },
  {
    behaviour: 'requests our offer by a re-INVITE, in an outbound call',
    cites: 'RFC 3261 §14.2, RFC 3264 §5',
    way: 'out',
    async talk({ far }) {
      expectStatus(await offerlessReinvite(far), 200);
    },
  },
  {
    behaviour: 'specifies another port in the ACK of an offerless re-INVITE',
    cites: 'RFC 3261 §13.2.2.4, RFC 3264 §8.3.1',
    way: 'in',
    talk: (talk) => moveWith(talk, ({ far }) => offerlessReinvite(far)),
  },
  {
    behaviour: 'omits the answer in the ACK of an offerless re-INVITE',
    cites: 'RFC 3261 §14.1, §13.2.1',
    way: 'in',
    async talk({ far }) {
      expectStatus(await far.request('INVITE'), 200);
    },
  },
  {
    behaviour: 'changes the law by re-INVITE',
    cites: 'RFC 3264 §8.3.2',
    way: 'in',
    async talk({ far, carrierHz }) {
      expectStatus(await reinvite(far, { laws: ['PCMU'] }), 200);
      far.audio.law = 'PCMU';
      far.audio.sendTone(carrierHz);
    },
  },
  {
    behaviour: 'offers an unsupported codec in a re-INVITE: the session is unchanged',
    cites: 'RFC 3261 §14.1, §14.2',
    way: 'in',
    async talk({ far }) {
      const refused = await reinvite(far, { laws: [], eventType: null, before: UNKNOWN_CODEC });
      expectStatus(refused, 488);
    },
  },
  {
    behaviour: 'sends malformed SDP in a re-INVITE: the session is unchanged',
    cites: 'RFC 3261 §14.1, §21.4.26',
    way: 'in',
    async talk({ far }) {
      const refused = await far.request('INVITE', { body: 'v=0\r\nm=audio\r\n', contentType: SDP });
      expectStatus(refused, 400, 488);
    },
  },
  {
    behaviour: 'adds video by re-INVITE, which is refused with port 0',
    cites: 'RFC 3264 §8.1',
    way: 'in',
    async talk({ far }) {
      const mediaAfter = ['m=video 40000 RTP/AVP 96', 'a=rtpmap:96 VP8/90000'];
      const response = await reinvite(far, { mediaAfter });
      expectStatus(response, 200);
      assert.match(response.body, /^m=video 0 /m);
    },
  },
  {
    behaviour: 'moves its audio by UPDATE',
    cites: 'RFC 3311 §5.2',
    way: 'in',
    talk: (talk) => moveWith(talk, ({ far }) => update(far, {})),
  },
  {
    behaviour: 'moves its audio by UPDATE, in an outbound call',
    cites: 'RFC 3311 §5.2',
    way: 'out',
    talk: (talk) => moveWith(talk, ({ far }) => update(far, {})),
  },
  {
    behaviour: 'sends an UPDATE without a description',
    cites: 'RFC 3311 §5.2, RFC 4028 §7.4',
    way: 'in',
    async talk({ far }) {
      expectStatus(await update(far), 200);
    },
  },
  {
    behaviour: 'holds and resumes by UPDATE',
    cites: 'RFC 3311 §5.2, RFC 3264 §8.4',
    way: 'in',
    async talk(talk) {
      expectStatus(await update(talk.far, { direction: 'inactive' }), 200);
      talk.far.audio.silence();
      await expectAudio(talk, 'none');
      talk.far.audio.sendTone(talk.carrierHz);
      expectStatus(await update(talk.far, {}), 200);
    },
  },
  {
    behaviour: 'offers an unsupported codec in an UPDATE: the session is unchanged',
    cites: 'RFC 3311 §5.2',
    way: 'in',
    async talk({ far }) {
      const refused = await update(far, { laws: [], eventType: null, before: UNKNOWN_CODEC });
      expectStatus(refused, 488);
    },
  },
  {
    behaviour: 'sends a second re-INVITE before the first is answered',
    cites: 'RFC 3261 §14.2',
    way: 'in',
    async talk({ far }) {
      const both = await Promise.all([reinvite(far), reinvite(far)]);
      expectStatus(both[0], 200);
      expectStatus(both[1], 200, 500);
      if (both[1].status === 500) {
        expectHeader(both[1], 'retry-after', /^\d+$/);
        expectStatus(await reinvite(far), 200);
      }
    },
  },
  {
    behaviour: 'sends an UPDATE before the ACK of our offer',
    cites: 'RFC 3311 §5.2, RFC 3261 §14.2',
    way: 'in',
    async talk({ far }) {
      far.acknowledging = () => null;
      expectStatus(await far.request('INVITE'), 200);
      expectStatus(await update(far, {}), 491, 500);
      // The 200 is retransmitted until its ACK.
      far.acknowledging = () => ({ body: carrierSdp(far), contentType: SDP });
    },
  },
  {
    behaviour: 'sends a re-INVITE with a CSeq that it has already used',
    cites: 'RFC 3261 §12.2.2',
    way: 'in',
    async talk({ far }) {
      expectStatus(await reinvite(far), 200);
      far.cseq -= 2;
      expectStatus(await update(far), 500);
      far.cseq += 2;
      expectStatus(await reinvite(far), 200);
    },
  },
  {
    behaviour: 'specifies another contact in a re-INVITE: our BYE goes there',
    cites: 'RFC 3261 §12.2.1.1, §14.1',
    way: 'in',
    async talk({ far }) {
      const contact = uriOf(far.local).replace(/^sip:[^@]*@/, 'sip:moved@');
      expectStatus(await reinvite(far, {}, { headers: [['Contact', `<${contact}>`]] }), 200);
    },
    async hangUp({ ada, callId, far }) {
      await ada.hangUp(callId);
      await far.ended();
      assert.match(lastRequest(far, 'BYE').uri ?? '', /^sip:moved@/);
    },
    ends: ENDS.agent,
  },
  {
    behaviour: 'sends BYE during its own re-INVITE',
    cites: 'RFC 3261 §15.1.2',
    way: 'in',
    async talk() {},
    async hangUp({ far }) {
      const asked = reinvite(far);
      await far.hangUp();
      expectStatus(await asked, 200, 481, 487);
    },
  },
  {
    behaviour: 'sends a re-INVITE that crosses our BYE',
    cites: 'RFC 3261 §15.1.1, §12.2.2',
    way: 'out',
    async talk() {},
    async hangUp({ ada, callId, far }) {
      const hungUp = ada.hangUp(callId);
      expectStatus(await reinvite(far), 200, 481, 487, 500);
      await hungUp;
      await far.ended();
    },
    ends: ENDS.agent,
  },
];
