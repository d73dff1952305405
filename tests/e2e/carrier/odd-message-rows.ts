/** Requests within a call that we do not support, INVITEs we cannot accept, and malformed messages. */
import assert from 'node:assert/strict';
import { carrierSdp } from '@clarion/test-phone/carrier/sdp';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { expectHeader, expectStatus, ourAnswer } from './steps.ts';
import type { CarrierRow, Talk } from './talk.ts';

const ALLOWED = /INVITE.*BYE|BYE.*INVITE/;

/** Messages within a conversation, which must not be affected. */
const sends = (
  behaviour: string,
  cites: string,
  talk: (far: Talk['far'], talk: Talk) => Promise<void>,
): CarrierRow => ({ behaviour, cites, way: 'in', talk: (all) => talk(all.far, all), listensFirst: false });

const refused = (
  behaviour: string,
  cites: string,
  status: number,
  sdp: string | ((call: SipCall) => string),
): CarrierRow => ({ behaviour, cites, way: 'refused', status, invite: { sdp } });

export const oddMessageRows: CarrierRow[] = [
  sends('refers the call elsewhere: 405', 'RFC 3515 §2.4.2, RFC 3261 §8.2.1', async (far) => {
    const response = await far.request('REFER', { headers: [['Refer-To', '<sip:900@192.0.2.1>']] });
    expectStatus(response, 405);
    expectHeader(response, 'allow', ALLOWED);
    assert.doesNotMatch(response.headers.flat().join(' '), /REFER,|, REFER/);
  }),
  {
    behaviour: 'gets an Allow header in our INVITE, without REFER',
    cites: 'RFC 3261 §20.5, §13.2.1',
    way: 'out',
    async talk({ far }) {
      expectHeader(far.invite, 'allow', ALLOWED);
      expectHeader(far.invite, 'allow', /^((?!REFER).)*$/);
      const refer = { headers: [['Refer-To', '<sip:900@192.0.2.1>']] as [string, string][] };
      expectStatus(await far.request('REFER', refer), 405);
    },
  },
  sends('gets an Allow header in our 200', 'RFC 3261 §13.3.1.4, §20.5', async (far) => {
    expectHeader(ourAnswer(far), 'allow', ALLOWED);
  }),
  sends('checks by OPTIONS whether the call exists', 'RFC 3261 §11.2', async (far) => {
    expectStatus(await far.options(), 200);
  }),
  sends('sends a text message within the call: 405', 'RFC 3428 §7, RFC 3261 §8.2.1', async (far) => {
    const sent = far.request('MESSAGE', { body: 'hello', contentType: 'text/plain' });
    expectStatus(await sent, 405);
  }),
  sends('sends a NOTIFY without a subscription: 405', 'RFC 6665 §4.1.3, RFC 3261 §8.2.1', async (far) => {
    const headers: [string, string][] = [
      ['Event', 'refer'],
      ['Subscription-State', 'terminated'],
    ];
    expectStatus(await far.request('NOTIFY', { headers }), 405);
  }),
  sends('subscribes within the call', 'RFC 6665 §4.2.1.4', async (far) => {
    const headers: [string, string][] = [['Event', 'dialog']];
    expectStatus(await far.request('SUBSCRIBE', { headers }), 405, 489, 501);
  }),
  sends('sends an unknown method', 'RFC 3261 §8.2.1, §21.5.2', async (far) => {
    expectStatus(await far.request('FROBNICATE'), 405, 501);
  }),
  sends('sends INFO that is not a key', 'RFC 6086 §4.2.2', async (far) => {
    expectStatus(await far.sendInfo('<media_control/>', 'application/media_control+xml'), 200, 415, 469);
  }),
  sends('sends INFO with a malformed key', 'RFC 6086 §4.2.2', async (far) => {
    expectStatus(await far.sendInfo('Signal=\0\r\nDuration=x', 'application/dtmf-relay'), 200, 400);
  }),
  sends('sends BYE in an unknown dialog', 'RFC 3261 §12.2.2, §15.1.2', async (far) => {
    const { remoteTag } = far;
    far.remoteTag = 'somebody-else';
    expectStatus(await far.request('BYE'), 481);
    far.remoteTag = remoteTag;
  }),
  sends('sends PRACK for a provisional response that was not reliable', 'RFC 3262 §3', async (far) => {
    expectStatus(await far.request('PRACK', { headers: [['RAck', '99 1 INVITE']] }), 481);
  }),
  sends('sends responses that match no request', 'RFC 3261 §17.1.3, §18.1.2', async (far, { scene }) => {
    const { port } = scene.phone;
    const lines = [
      'SIP/2.0 200 OK',
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKnobody`,
      `From: <sip:a@127.0.0.1>;tag=1`,
      'To: <sip:b@127.0.0.1>;tag=2',
      `Call-ID: ${far.id}`,
      'CSeq: 1 INVITE',
      'Content-Length: 0',
    ];
    scene.phone.sendRaw(`${lines.join('\r\n')}\r\n\r\n`, scene.t.sip);
    expectStatus(await far.options(), 200);
  }),
  sends('sends datagrams that are not SIP', 'RFC 3261 §18.3, RFC 4475 §3.1.2', async (far, { scene }) => {
    for (const bytes of ['\r\n\r\n', '\0', 'INVITE', 'INVITE sip:x SIP/2.0\r\n\r\n', 'x'.repeat(2_000)])
      scene.phone.sendRaw(bytes, scene.t.sip);
    expectStatus(await far.options(), 200);
  }),
  refused('offers only unsupported codecs', 'RFC 3261 §13.3.1.3', 488, (call) =>
    carrierSdp(call, {
      laws: [],
      eventType: null,
      before: { formats: [18], lines: ['a=rtpmap:18 G729/8000'] },
    }),
  ),
  refused('offers only encrypted audio', 'RFC 3264 §6, RFC 4568 §5.1.2', 488, (call) =>
    carrierSdp(call, { protocol: 'RTP/SAVP' }),
  ),
  refused('offers disabled audio', 'RFC 3264 §5.1, §8.2', 488, (call) => carrierSdp(call, { port: 0 })),
  refused('sends malformed SDP', 'RFC 8866 §5, RFC 3261 §21.4.1', 400, 'hello\r\n'),
  {
    behaviour: 'requires an unknown extension',
    cites: 'RFC 3261 §8.2.2.3',
    way: 'refused',
    status: 420,
    invite: { headers: [['Require', 'teleportation']] },
  },
  {
    behaviour: 'requests a session interval below the minimum',
    cites: 'RFC 4028 §9',
    way: 'refused',
    status: 422,
    invite: {
      headers: [
        ['Supported', 'timer'],
        ['Session-Expires', '30'],
      ],
    },
  },
];
