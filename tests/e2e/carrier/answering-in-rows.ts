/** Calls from carriers: all variants of INVITE and offer. */
import assert from 'node:assert/strict';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { acknowledgeProvisionals, update } from '@clarion/test-phone/carrier/dialog';
import { losingFirst, repeating, rewriting } from '@clarion/test-phone/carrier/network';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import { header, isRequest, uriOf, type SipRequest } from '@clarion/test-phone/sip/message';
import { asText } from '@clarion/test-phone/sip/wire';
import { agentPresses, cseqOf, expectHeader, expectStatus, lastRequest, ourAnswer } from './steps.ts';
import { ENDS, type CarrierRow } from './talk.ts';

/** The earliest retransmission of an INVITE (RFC 3261, section 17.1.1.1). */
const T1_MS = 500;
const VIDEO = ['m=video 40000 RTP/AVP 96', 'a=rtpmap:96 VP8/90000'];

export const answeringInRows: CarrierRow[] = [
  {
    behaviour: 'offers both laws of G.711',
    cites: 'RFC 3264 §6.1, RFC 3551 §4.5.14',
    way: 'in',
    hangUp: 'agent',
  },
  {
    behaviour: 'offers only PCMU',
    cites: 'RFC 3264 §6.1',
    way: 'in',
    invite: { laws: ['PCMU'] },
  },
  {
    behaviour: 'calls without an offer and answers ours in its ACK',
    cites: 'RFC 3261 §13.2.1, RFC 3264 §5',
    way: 'in',
    invite: {
      sdp: '',
      prepare: (call) => {
        call.acknowledging = () => ({ body: carrierSdp(call), contentType: 'application/sdp' });
      },
    },
    async talk({ far }) {
      assert.match(ourAnswer(far).body, /^m=audio \d+ RTP\/AVP /m);
    },
  },
  {
    behaviour: 'prefers codecs that we do not have',
    cites: 'RFC 3264 §6.1',
    way: 'in',
    invite: {
      sdp: (call) =>
        carrierSdp(call, {
          before: { formats: [18, 96, 9], lines: ['a=rtpmap:18 G729/8000', 'a=rtpmap:96 opus/48000/2'] },
        }),
    },
  },
  {
    behaviour: 'gives G.711 a dynamic payload type',
    cites: 'RFC 3551 §3, RFC 8866 §6.6',
    way: 'in',
    invite: { laws: ['PCMA'], sdp: (call) => carrierSdp(call, { types: { PCMA: 107 } }) },
    how: { types: { PCMA: 107 } },
    voice({ far, carrierHz }) {
      far.audio.voiceType = 107;
      far.audio.sendTone(carrierHz);
    },
  },
  {
    behaviour: 'offers video as well, which is refused with port 0',
    cites: 'RFC 3264 §6',
    way: 'in',
    invite: { sdp: (call) => carrierSdp(call, { mediaAfter: VIDEO }) },
    async talk({ far }) {
      assert.match(ourAnswer(far).body, /^m=video 0 /m);
    },
  },
  {
    behaviour: 'offers fax before the audio: the answer keeps the order',
    cites: 'RFC 3264 §6',
    way: 'in',
    invite: { sdp: (call) => carrierSdp(call, { mediaBefore: ['m=image 0 udptl t38'] }) },
    async talk({ far }) {
      assert.match(ourAnswer(far).body, /^m=image 0 [^]*^m=audio [1-9]/m);
    },
  },
  {
    behaviour: 'specifies an address for the audio and a different one for the session',
    cites: 'RFC 8866 §5.7',
    way: 'in',
    invite: { sdp: (call) => carrierSdp(call, { sessionAddress: '192.0.2.1' }) },
  },
  {
    behaviour: 'uses a 64-bit session ID',
    cites: 'RFC 8866 §5.2',
    way: 'in',
    invite: {
      sdp: (call) =>
        carrierSdp(call, { origin: '- 18446744073709551614 18446744073709551615 IN IP4 127.0.0.1' }),
    },
  },
  {
    behaviour: 'offers ICE, feedback and rtcp-mux, which the answer omits',
    cites: 'RFC 5761 §5.1.1, RFC 8839 §4.2.3',
    way: 'in',
    invite: {
      sdp: (call) =>
        carrierSdp(call, {
          lines: [
            'a=rtcp-mux',
            'a=ice-ufrag:abcd',
            'a=ice-pwd:0123456789012345678901',
            'a=candidate:1 1 UDP 1 127.0.0.1 9 typ host',
          ],
        }),
    },
    async talk({ far }) {
      assert.doesNotMatch(ourAnswer(far).body, /rtcp-mux|ice-ufrag/);
    },
  },
  {
    behaviour: 'omits direction and packet time in its offer',
    cites: 'RFC 3264 §5.1, RFC 8866 §6.7',
    way: 'in',
    invite: { sdp: (call) => carrierSdp(call, { direction: null, ptime: null }) },
  },
  {
    behaviour: 'writes header names in their compact form',
    cites: 'RFC 3261 §7.3.3',
    way: 'in',
    wire: rewriting((text) =>
      text
        .replace(/^From:/m, 'f:')
        .replace(/^To:/m, 't:')
        .replace(/^Call-ID:/m, 'i:')
        .replace(/^Via:/gm, 'v:')
        .replace(/^Contact:/m, 'm:')
        .replace(/^Content-Type:/m, 'c:')
        .replace(/^Content-Length:/m, 'l:'),
    ),
    async talk({ far }) {
      expectStatus(await far.reinvite(), 200);
    },
  },
  {
    behaviour: 'folds header lines and writes their names in any case',
    cites: 'RFC 3261 §7.3.1',
    way: 'in',
    wire: rewriting((text) =>
      text
        .replace(/^From: /m, 'fRoM  :\r\n  ')
        .replace(/^CSeq: (\d+) /m, 'CSEQ:  $1\r\n\t')
        .replace(/^Max-Forwards: /m, 'MAX-FORWARDS:    '),
    ),
    async talk({ far }) {
      expectStatus(await far.reinvite(), 200);
    },
  },
  {
    behaviour: 'is behind a record-routing proxy: our BYE goes through it',
    cites: 'RFC 3261 §12.1.1, §16.6',
    way: 'in',
    // The proxy is at the phone's own address.
    invite: {
      headers: (call) => [['Record-Route', `<${uriOf(call.local)};lr>`]],
      prepare: (call) => {
        // Its own requests already go through the proxy.
        call.acknowledging = () => {
          call.routes = [];
          return {};
        };
      },
    },
    async hangUp({ ada, callId, far }) {
      await ada.hangUp(callId);
      await far.ended();
      expectHeader(lastRequest(far, 'BYE'), 'route', /;lr>/);
    },
    ends: ENDS.agent,
  },
  {
    behaviour: 'sends every message twice',
    cites: 'RFC 3261 §17.2.1, §17.2.2',
    way: 'in',
    wire: repeating,
    async talk({ far }) {
      expectStatus(await far.reinvite(), 200);
    },
  },
  {
    behaviour: 'loses its INVITE, ACK and BYE the first time',
    cites: 'RFC 3261 §17.1.1.2, §13.3.1.4',
    way: 'in',
    wire: losingFirst(({ method }) => ['INVITE', 'ACK', 'BYE'].includes(method ?? '')),
    async talk({ far }) {
      assert.ok((far.times.provisional ?? 0) - far.times.invite >= T1_MS, 'the first INVITE was not lost');
    },
    listensFirst: false,
  },
  {
    behaviour: 'acknowledges only the third 200',
    cites: 'RFC 3261 §13.3.1.4',
    way: 'in',
    invite: {
      prepare: (call) => {
        let answers = 0;
        call.acknowledging = () => ((answers += 1) < 3 ? null : {});
      },
    },
    async talk({ far }) {
      await far.until(() => far.received.filter((each) => each.status === 200).length >= 3, 'a third 200');
    },
  },
  {
    behaviour: 'sends its INVITE along two paths: the second one is rejected as a loop',
    cites: 'RFC 3261 §8.2.2.2',
    way: 'in',
    async ringing({ scene, far }) {
      const merged = Promise.withResolvers<number>();
      const branch = 'z9hG4bKthe-other-way';
      scene.phone.wire = {
        arrive(message, take) {
          if (header(message, 'via').includes(branch)) merged.resolve(message.status ?? 0);
          else take();
        },
      };
      const copy = asText(far.invite).replace(/branch=[^;]+/, `branch=${branch}`);
      scene.phone.sendRaw(copy, scene.t.sip);
      assert.equal(await merged.promise, 482);
      scene.phone.wire = null;
    },
  },
  {
    behaviour: 'calls over TCP',
    cites: 'RFC 3261 §18.1.1, §18.3',
    way: 'in',
    phone: { transport: 'tcp' },
    async talk({ far }) {
      expectStatus(await far.reinvite(), 200);
    },
  },
  {
    behaviour: 'supports 100rel without requiring it',
    cites: 'RFC 3262 §3',
    way: 'in',
    invite: { headers: [['Supported', '100rel']], prepare: acknowledgeProvisionals },
  },
  {
    behaviour: 'requires 100rel: our 180 is reliable and its PRACK is answered',
    cites: 'RFC 3262 §3',
    way: 'in',
    invite: { headers: [['Require', '100rel']], prepare: acknowledgeProvisionals },
    async ringing({ far }) {
      await far.until(() => far.log.includes('PRACK 200'), '200 to the PRACK');
    },
  },
  {
    behaviour: 'refreshes the session itself, by UPDATE',
    cites: 'RFC 4028 §7.4, §9',
    way: 'in',
    invite: {
      headers: [
        ['Supported', 'timer'],
        ['Session-Expires', '90;refresher=uac'],
      ],
    },
    async talk({ far }) {
      expectHeader(ourAnswer(far), 'session-expires', /^90;\s*refresher=uac/);
      expectHeader(ourAnswer(far), 'require', /timer/);
      const refreshed = await far.request('UPDATE', {
        headers: [
          ['Supported', 'timer'],
          ['Session-Expires', '90;refresher=uac'],
        ],
      });
      expectStatus(refreshed, 200);
      expectHeader(refreshed, 'session-expires', /^90/);
    },
  },
  {
    behaviour: 'uses the Contact of our 200, and our CSeq rises by one',
    cites: 'RFC 3261 §12.2.1.1',
    way: 'in',
    // Without telephone events, each key of the agent is an INFO of ours.
    invite: { sdp: (call) => carrierSdp(call, { eventType: null }) },
    async talk(talk) {
      const { far } = talk;
      const contact = uriOf(header(ourAnswer(far), 'contact'));
      assert.match(contact, /^sip:.*127\.0\.0\.1:\d+/);
      assert.equal(far.remoteTarget, contact);
      expectStatus(await update(far), 200);
      expectStatus(await far.options(), 200);
      await agentPresses(talk, '12');
      await far.until(() => requestsOf(far).length === 2, 'an INFO for each key');
    },
    hangUp: async ({ ada, callId, far }) => {
      await ada.hangUp(callId);
      await far.ended();
      const requests = requestsOf(far);
      assert.deepEqual(
        requests.map(({ method }) => method),
        ['INFO', 'INFO', 'BYE'],
      );
      const [first = NaN, ...later] = requests.map(cseqOf);
      assert.deepEqual(later, [first + 1, first + 2]);
    },
    ends: ENDS.agent,
  },
];

/** The requests that the service sent within the call. */
const requestsOf = (far: SipCall): SipRequest[] => far.received.filter(isRequest);
