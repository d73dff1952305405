import { describe, expect, test } from 'vitest';
import { carrierAnswer, carrierOffer, isEncrypted, parseCarrierSdp } from '../sdp/carrier.ts';
import { sameKey } from '../rtp/srtp-keys.ts';
import { agreeOnAnswer, agreeOnOffer, newLocalKeys, readOffer, type MediaTerms } from './agreement.ts';
import { OfferAnswer } from './offer-answer.ts';

const party = (address: string) => ({
  address,
  port: 40_000,
  sessionId: 5,
  sessionVersion: 1,
  keys: newLocalKeys(),
});
const [ours, theirs] = [party('192.0.2.10'), party('198.51.100.1')];
const SECURE: MediaTerms = { codecs: ['PCMA'], srtp: 'required' };
const terms = (change: Partial<MediaTerms>): MediaTerms => ({ codecs: [], srtp: 'allowed', ...change });

describe('an encrypted call', () => {
  const offer = readOffer(carrierOffer(theirs, ['PCMA'], true), SECURE, ours.address);
  const agreed = agreeOnOffer(offer, SECURE, ours);
  const answer = carrierAnswer(ours, offer, agreed);

  test('has two keys: what one party sends with, the other receives with', () => {
    const other = agreeOnAnswer(answer, SECURE, true, theirs);
    expect(agreed.keys?.send.suite).toBe('AES_CM_128_HMAC_SHA1_80');
    expect(sameKey(agreed.keys?.send ?? null, other.keys?.receive ?? null)).toBe(true);
    expect(sameKey(agreed.keys?.receive ?? null, other.keys?.send ?? null)).toBe(true);
  });

  test('keeps its keys and its text across hold and session refresh', () => {
    const session = new OfferAnswer({
      local: ours,
      terms: SECURE,
      description: answer,
      agreed,
      inviteCSeq: 1,
    });
    const repeated = carrierOffer(theirs, ['PCMA'], true);
    expect(session.receiveInvite(2, repeated)).toMatchObject({ status: 200, body: answer });
    const held = session.receiveInvite(3, repeated.replace('a=sendrecv', 'a=sendonly'));
    expect(held).toMatchObject({ status: 200, agreed: { keys: agreed.keys } });
  });

  test('gets a new key of ours when the remote party changes its own, in either kind of re-INVITE', () => {
    const start = { local: ours, terms: SECURE, description: answer, agreed, inviteCSeq: 1 };
    const renewed = { ...theirs, keys: newLocalKeys() };
    const offered = new OfferAnswer(start).receiveInvite(2, carrierOffer(renewed, ['PCMA'], true));
    const offeredKeys = 'agreed' in offered ? (offered.agreed?.keys ?? null) : null;
    expect(sameKey(offeredKeys?.receive ?? null, renewed.keys.AES_CM_128_HMAC_SHA1_80)).toBe(true);
    expect(sameKey(offeredKeys?.send ?? null, agreed.keys?.send ?? null)).toBe(false);

    const session = new OfferAnswer(start);
    const reply = session.receiveInvite(2, '');
    const ourOffer = 'body' in reply ? reply.body : '';
    expect(isEncrypted(ourOffer)).toBe(true);
    const read = parseCarrierSdp(ourOffer);
    const acked = session.receiveAck(2, carrierAnswer(renewed, read, agreeOnOffer(read, SECURE, renewed)));
    const ackedKeys = acked && 'agreed' in acked ? acked.agreed.keys : null;
    expect(sameKey(ackedKeys?.send ?? null, read.crypto?.[0]?.key ?? null)).toBe(true);
    expect(sameKey(ackedKeys?.send ?? null, agreed.keys?.send ?? null)).toBe(false);
  });

  test('is never continued without encryption on a trunk that requires it', () => {
    const session = new OfferAnswer({
      local: ours,
      terms: SECURE,
      description: answer,
      agreed,
      inviteCSeq: 1,
    });
    expect(session.receiveInvite(2, carrierOffer(theirs, ['PCMA'], false)).status).toBe(488);
    expect(session.agreed).toBe(agreed);
  });
});

describe('which audio line of an offer is used', () => {
  const both = carrierOffer(theirs, ['PCMA'], true).replace('m=audio', 'm=audio 5000 RTP/AVP 8\r\nm=audio');
  test.each([
    ['the encrypted one over TLS', 'allowed', 1, true],
    ['the encrypted one if the trunk requires it', 'required', 1, true],
    ['the plain one over UDP and TCP', 'never', 0, false],
  ] as const)('%s', (_what, srtp, index, encrypted) => {
    const offer = readOffer(both, terms({ srtp }), ours.address);
    expect(offer.audioIndex).toBe(index);
    expect(agreeOnOffer(offer, terms({ srtp }), ours).keys !== null).toBe(encrypted);
    const answer = carrierAnswer(ours, offer, agreeOnOffer(offer, terms({ srtp }), ours));
    const ports = [...answer.matchAll(/^m=audio (\d+)/gm)].map(([, port]) => port);
    expect(ports).toEqual(encrypted ? ['0', '40000'] : ['40000', '0']);
  });
});

describe('an answer to our offer', () => {
  test('without encryption to an encrypted offer, or the reverse, is rejected', () => {
    const plain = carrierOffer(theirs, ['PCMA'], false);
    const secure = carrierOffer(theirs, ['PCMA'], true);
    expect(() => agreeOnAnswer(plain, SECURE, true, ours)).toThrow(expect.objectContaining({ status: 488 }));
    expect(() => agreeOnAnswer(secure, terms({}), false, ours)).toThrow(
      expect.objectContaining({ status: 488 }),
    );
  });
});

describe('the codecs of an answer', () => {
  const answered = (offered: string, codecs: MediaTerms['codecs']) => {
    const sdp = `v=0\r\no=- 1 1 IN IP4 198.51.100.1\r\ns=-\r\nc=IN IP4 198.51.100.1\r\nt=0 0\r\nm=audio 5000 RTP/AVP ${offered}\r\n`;
    return agreeOnOffer(readOffer(sdp, terms({ codecs }), ours.address), terms({ codecs }), ours).codecs.map(
      ({ codec }) => codec,
    );
  };
  test.each([
    ['are G.711 in the order of the offer, if the trunk has no list', '9 0 8', [], ['PCMU', 'PCMA']],
    ['are in the order of the trunk', '0 8', ['PCMA', 'PCMU'], ['PCMA', 'PCMU']],
    ['are only those of the trunk', '0 8', ['PCMU'], ['PCMU']],
    ['begin with G.722 if the trunk prefers it', '0 9 8', ['G722', 'PCMA', 'PCMU'], ['G722', 'PCMA', 'PCMU']],
    ['are without G.722 if G.711 comes first', '9 8', ['PCMA', 'G722'], ['PCMA']],
    ['are G.722 if nothing else is in common', '9 18', ['PCMA', 'G722'], ['G722']],
  ] as const)('%s', (_what, offered, codecs, expected) => {
    expect(answered(offered, codecs)).toEqual(expected);
  });

  test('are none if the trunk allows none of them: 488', () => {
    expect(() => answered('9 18', ['PCMA'])).toThrow(
      expect.objectContaining({ status: 488, reason: 'no_common_codec' }),
    );
  });
});
