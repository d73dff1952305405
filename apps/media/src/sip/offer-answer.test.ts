import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { carrierOffer, parseCarrierSdp } from '../sdp/carrier.ts';
import { agreeOnAnswer, agreeOnOffer, newLocalKeys, readOffer, type MediaTerms } from './agreement.ts';
import { OfferAnswer } from './offer-answer.ts';

const local = { address: '192.0.2.10', port: 40_000, sessionId: 5, sessionVersion: 1, keys: newLocalKeys() };
const terms: MediaTerms = { codecs: [], srtp: 'never' };
const ourOffer = carrierOffer(local, ['PCMA', 'PCMU'], false);

function sdp(port: number, direction = 'sendrecv', { payloads = '8 0', video = false } = {}): string {
  return [
    'v=0',
    'o=- 1 1 IN IP4 198.51.100.1',
    's=-',
    'c=IN IP4 198.51.100.1',
    't=0 0',
    ...(video ? ['m=video 6000 RTP/AVP 96', 'a=rtpmap:96 H264/90000'] : []),
    `m=audio ${port} RTP/AVP ${payloads} 97`,
    'a=rtpmap:97 telephone-event/8000',
    `a=${direction}`,
    '',
  ].join('\r\n');
}

/** A session negotiated by an INVITE (CSeq 1) and its answer. */
const agreed = (body = sdp(5_000)) =>
  new OfferAnswer({
    local,
    terms,
    description: ourOffer,
    agreed: agreeOnAnswer(body, terms, false, local),
    inviteCSeq: 1,
  });

const versionOf = (text: string) => Number(/^o=\S+ \S+ (\d+)/m.exec(text)?.[1]);

describe('our offer in the 200 to a re-INVITE', () => {
  test('keeps every media line in its place and the payload type of telephone events', () => {
    const session = agreed(sdp(5_000, 'sendonly', { video: true }));
    const reply = session.receiveInvite(2, '');
    expect(reply.status).toBe(200);
    const body = 'body' in reply ? reply.body : '';
    expect(body).toMatch(/m=video 0 RTP\/AVP 96\r\n/);
    expect(body.indexOf('m=video')).toBeLessThan(body.indexOf('m=audio 40000 RTP/AVP 8 0 97\r\n'));
    expect(body).toContain('a=rtpmap:97 telephone-event/8000');
    expect(body).toContain('a=sendrecv');
  });

  test('names the codec in use first, and the other one after it', () => {
    const reply = agreed(sdp(5_000, 'sendrecv', { payloads: '0 8' })).receiveInvite(2, '');
    expect('body' in reply ? reply.body : '').toMatch(/^m=audio 40000 RTP\/AVP 0 8 97\r$/m);
    const other = agreed(sdp(5_000, 'sendrecv', { payloads: '0' })).receiveInvite(2, '');
    expect('body' in other ? other.body : '').toMatch(/^m=audio 40000 RTP\/AVP 0 8 97\r$/m);
  });

  test('is completed by the ACK of that re-INVITE only', () => {
    const session = agreed();
    session.receiveInvite(2, '');
    expect(session.receiveAck(1, sdp(6_000))).toBeNull();
    expect(session.agreed?.remote.port).toBe(5_000);
    expect(session.receiveAck(2, sdp(6_000))).toMatchObject({ agreed: { remote: { port: 6_000 } } });
    expect(session.receiveAck(2, sdp(7_000))).toBeNull();
    expect(session.agreed?.remote.port).toBe(6_000);
  });
});

test('after an INVITE without an offer, our offer is open until the ACK', () => {
  const session = new OfferAnswer({ local, terms, description: ourOffer, agreed: null, inviteCSeq: 4 });
  expect(session.receiveUpdate(sdp(5_000)).status).toBe(491);
  expect(session.receiveAck(4, sdp(5_000))).toMatchObject({ agreed: { remote: { port: 5_000 } } });
  expect(session.receiveUpdate(sdp(6_000)).status).toBe(200);
});

const good = fc
  .tuple(
    fc.integer({ min: 1_024, max: 1_027 }),
    fc.constantFrom('sendrecv', 'sendonly', 'recvonly', 'inactive'),
    fc.constantFrom('8', '0', '8 0', '0 8'),
  )
  .map(([port, direction, payloads]) => sdp(port, direction, { payloads }));
const bad = fc.constantFrom(sdp(5_000, 'sendrecv', { payloads: '18' }), 'v=1', 'nonsense');

/** What a remote party may send, in any order. */
const received = fc.oneof(
  good.map((body) => ({ on: 'invite' as const, body })),
  bad.map((body) => ({ on: 'invite' as const, body })),
  fc.constant({ on: 'invite' as const, body: '' }),
  fc.oneof(good, bad, fc.constant('')).map((body) => ({ on: 'update' as const, body })),
  fc
    .tuple(fc.oneof(good, bad, fc.constant('')), fc.boolean())
    .map(([body, right]) => ({ on: 'ack' as const, body, right })),
);

test('in any order: one offer at a time, a failure changes nothing, and each description has its own version', () => {
  fc.assert(
    fc.property(fc.array(received, { maxLength: 30 }), (messages) => {
      const session = agreed();
      const texts = new Map([[1, session.ours.description]]);
      let cseq = 1;
      let open: number | null = null;
      for (const message of messages) {
        const before = { agreed: session.agreed, ours: session.ours };
        const readable = agreementOrNull(message.body);
        if (message.on === 'ack') {
          const answer = session.receiveAck(message.right && open !== null ? open : -1, message.body);
          expect(answer === null).toBe(open === null || !message.right);
          if (answer) open = null;
          expect(session.agreed).toEqual(answer && readable ? readable : before.agreed);
          expect(session.ours).toEqual(before.ours);
          continue;
        }
        cseq += 1;
        const reply =
          message.on === 'invite'
            ? session.receiveInvite(cseq, message.body)
            : session.receiveUpdate(message.body);
        if (open !== null && (message.on === 'invite' || message.body !== '')) {
          expect(reply.status).toBe(491);
        }
        if (reply.status !== 200) {
          expect({ agreed: session.agreed, ours: session.ours }).toEqual(before);
          expect(open !== null || readable === null).toBe(true);
          continue;
        }
        if (message.body === '') expect(session.agreed).toEqual(before.agreed);
        else expect(session.agreed).toEqual(readable);
        if (message.on === 'invite' && message.body === '') {
          open = cseq;
          expect(parseCarrierSdp(reply.body).direction).toBe('sendrecv');
        }
        if (reply.body === '') continue;
        const version = versionOf(reply.body);
        expect(version).toBeGreaterThanOrEqual(before.ours.local.sessionVersion);
        expect(texts.get(version) ?? reply.body).toBe(reply.body);
        texts.set(version, reply.body);
      }
    }),
    { numRuns: 300 },
  );
});

function agreementOrNull(body: string) {
  try {
    return agreeOnOffer(readOffer(body, terms, local.address), terms, local);
  } catch {
    return null;
  }
}
