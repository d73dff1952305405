/** How carriers answer outbound calls: provisional responses, reliable ones, forks, and all variants of the 200. */
import assert from 'node:assert/strict';
import { countOf, Fork, moveAudio, reliably, update } from '@clarion/test-phone/carrier/dialog';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import { header, uriOf } from '@clarion/test-phone/sip/message';
import { agentHearsEarly, asTalk, expectHeader, expectStatus, lastRequest } from './steps.ts';
import { SCRIPTED, dialOut, ENDS, type CarrierRow } from './talk.ts';

const OFFER_SUPPORTS = /100rel/;
const UNANSWERED = { status: 'FAILED', agentRef: 'ada', channelRef: 'main' } as const;

export const answeringOutRows: CarrierRow[] = [
  { behaviour: 'rings and answers', cites: 'RFC 3261 §13.3.1', way: 'out', hangUp: 'agent' },
  {
    behaviour: 'answers without ringing',
    cites: 'RFC 3261 §13.3.1.4',
    way: 'out',
    answer: { do: 'answer', ring: false },
  },
  {
    behaviour: 'sends 181, 182 and 180 before its answer',
    cites: 'RFC 3261 §21.1',
    way: 'out',
    answer: SCRIPTED,
    ringing({ far }) {
      far.progress(181, 'Call Is Being Forwarded');
      far.progress(182, 'Queued');
      far.progress(180, 'Ringing');
      far.answerWith(far.sdp());
    },
  },
  {
    behaviour: 'answers with only PCMU',
    cites: 'RFC 3264 §6.1',
    way: 'out',
    answer: SCRIPTED,
    ringing: ({ far }) => far.answerWith(carrierSdp(far, { laws: ['PCMU'] })),
    voice({ far, carrierHz }) {
      far.audio.law = 'PCMU';
      far.audio.sendTone(carrierHz);
    },
  },
  {
    behaviour: 'answers without telephone events',
    cites: 'RFC 3264 §6.1, RFC 4733 §2.1',
    way: 'out',
    answer: SCRIPTED,
    ringing: ({ far }) => far.answerWith(carrierSdp(far, { eventType: null })),
  },
  {
    behaviour: 'answers with an unsupported codec: the call is acknowledged and hung up',
    cites: 'RFC 3261 §13.2.2.4',
    way: 'whole',
    async run(scene) {
      const { far, callId } = await dialOut(scene, { answer: SCRIPTED });
      const before = { formats: [18], lines: ['a=rtpmap:18 G729/8000'] };
      far.answerWith(carrierSdp(far, { laws: [], eventType: null, before }));
      await far.ended();
      assert.ok(far.log.includes('ACK'), far.log.join(' '));
      return { callId, far };
    },
    ends: { ...UNANSWERED, reason: 'SYSTEM_ERROR', by: 'SYSTEM', wire: ['bye-received', null] },
  },
  {
    behaviour: 'repeats its 200: each one is acknowledged',
    cites: 'RFC 3261 §13.2.2.4',
    way: 'out',
    answer: SCRIPTED,
    ringing: ({ far }) => far.answerWith(far.sdp()),
    async talk({ far }) {
      const before = countOf(far, 'ACK');
      far.answerWith(far.sdp());
      await far.until(() => countOf(far, 'ACK') > before, 'an ACK of the repeated 200');
    },
  },
  {
    behaviour: 'has a record-routing proxy: our ACK and BYE go through it',
    cites: 'RFC 3261 §12.1.2, §13.2.2.4',
    way: 'out',
    answer: SCRIPTED,
    ringing({ far }) {
      const proxy = uriOf(far.local).replace(/^sips?:[^@]*@/, 'sip:');
      far.answerWith(far.sdp(), { headers: [['Record-Route', `<${proxy};lr>`]] });
    },
    async hangUp({ ada, callId, far }) {
      await ada.hangUp(callId);
      await far.ended();
      expectHeader(lastRequest(far, 'ACK'), 'route', /;lr>/);
      expectHeader(lastRequest(far, 'BYE'), 'route', /;lr>/);
    },
    ends: ENDS.agent,
  },
  {
    behaviour: 'answers with a different description than in its 183',
    cites: 'RFC 6337 §3.1, RFC 3261 §13.2.1',
    way: 'out',
    answer: SCRIPTED,
    async ringing(ringing) {
      const { far, carrierHz } = ringing;
      far.progress(183, 'Session Progress', { sdp: carrierSdp(far) });
      far.audio.sendTone(carrierHz);
      await agentHearsEarly(asTalk(ringing));
      (await moveAudio(far, carrierHz)).silence();
      far.answerWith(carrierSdp(far));
    },
  },
  {
    behaviour: 'sends reliable provisional responses, each of which is confirmed by PRACK',
    cites: 'RFC 3262 §4',
    way: 'out',
    answer: SCRIPTED,
    async ringing({ far }) {
      expectHeader(far.invite, 'supported', OFFER_SUPPORTS);
      await reliably(far, 180, 'Ringing', 1);
      await reliably(far, 183, 'Session Progress', 2);
      far.answerWith(far.sdp());
    },
  },
  {
    behaviour: 'has its SDP in a reliable 183 and none in the 200',
    cites: 'RFC 3262 §5, RFC 3261 §13.2.1',
    way: 'out',
    answer: SCRIPTED,
    async ringing({ far }) {
      expectHeader(far.invite, 'supported', OFFER_SUPPORTS);
      await reliably(far, 183, 'Session Progress', 1, carrierSdp(far));
      far.answerWith('');
    },
  },
  {
    behaviour: 'moves its audio by UPDATE before it answers',
    cites: 'RFC 3311 §5.1, §5.2',
    way: 'out',
    answer: SCRIPTED,
    async ringing({ far, carrierHz }) {
      expectHeader(far.invite, 'supported', OFFER_SUPPORTS);
      await reliably(far, 183, 'Session Progress', 1, carrierSdp(far));
      (await moveAudio(far, carrierHz)).silence();
      expectStatus(await update(far, {}), 200);
      far.answerWith('');
    },
  },
  {
    behaviour: 'forks: two branches ring with separate audio, and the second one answers',
    cites: 'RFC 3261 §12.1, §13.2.2.4, RFC 3960 §3.1',
    way: 'out',
    answer: SCRIPTED,
    async ringing({ far }) {
      const other = await Fork.of(far);
      other.respond(183, 'Session Progress', other.sdp());
      far.progress(183, 'Session Progress', { sdp: carrierSdp(far) });
      far.answerWith(carrierSdp(far));
    },
  },
  {
    behaviour: 'forks and both branches answer: the second 200 is acknowledged and its branch hung up',
    cites: 'RFC 3261 §13.2.2.4',
    way: 'out',
    answer: SCRIPTED,
    async ringing({ far }) {
      const other = await Fork.of(far);
      far.answerWith(carrierSdp(far));
      await far.until(() => far.log.includes('ACK'), 'the ACK');
      other.respond(200, 'OK', other.sdp());
      await far.until(() => other.methods.includes('BYE'), 'the BYE of the other branch');
      assert.deepEqual(other.methods, ['ACK', 'BYE']);
    },
  },
  {
    behaviour: 'rejects our session interval as too small and specifies its Min-SE',
    cites: 'RFC 4028 §7.3',
    way: 'out',
    answer: {
      do: 'script',
      play(call) {
        const least = Number(/^\d+/.exec(header(call.invite, 'session-expires'))?.[0] ?? 0);
        if (least >= 3600) return call.answerWith(call.sdp());
        call.respond(call.invite, 422, 'Session Interval Too Small', { headers: [['Min-SE', '3600']] });
      },
    },
  },
  {
    behaviour: 'refreshes the session itself, by re-INVITE',
    cites: 'RFC 4028 §8.1, §9',
    way: 'out',
    answer: SCRIPTED,
    ringing({ far }) {
      expectHeader(far.invite, 'supported', /timer/);
      expectHeader(far.invite, 'session-expires', /^\d+/);
      const headers: [string, string][] = [
        ['Require', 'timer'],
        ['Session-Expires', '1800;refresher=uas'],
      ];
      far.answerWith(far.sdp(), { headers });
    },
    async talk({ far }) {
      const refreshed = await far.request('INVITE', {
        body: carrierSdp(far),
        contentType: 'application/sdp',
        headers: [
          ['Supported', 'timer'],
          ['Session-Expires', '1800;refresher=uac'],
        ],
      });
      expectStatus(refreshed, 200);
      expectHeader(refreshed, 'session-expires', /^1800/);
    },
  },
];
