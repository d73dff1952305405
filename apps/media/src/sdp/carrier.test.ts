import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newLocalKeys } from '../sip/agreement.ts';
import {
  answeringDirection,
  carrierAnswer,
  carrierOffer,
  parseCarrierSdp,
  requireReachable,
  SdpError,
  type CarrierSdp,
} from './carrier.ts';

const local = {
  address: '192.0.2.10',
  port: 40_000,
  sessionId: 5,
  sessionVersion: 1,
  keys: newLocalKeys(),
};
const plain = ({ codecs }: CarrierSdp) => ({ codecs, keys: null });
const sdp = (...lines: string[]) =>
  ['v=0', 'o=- 1 1 IN IP4 198.51.100.1', 's=-', 'c=IN IP4 198.51.100.1', 't=0 0', ...lines, ''].join('\r\n');

describe('a carrier’s offer', () => {
  test('is parsed in its order of preference, including static payload types without rtpmap', () => {
    const offer = parseCarrierSdp(sdp('m=audio 5000 RTP/AVP 18 8 0 96', 'a=rtpmap:96 telephone-event/8000'));
    expect(offer).toMatchObject({
      address: '198.51.100.1',
      port: 5_000,
      rtcpPort: 5_001,
      codecs: [
        { codec: 'PCMA', payloadType: 8 },
        { codec: 'PCMU', payloadType: 0 },
      ],
      dtmfPayloadType: 96,
      direction: 'sendrecv',
    });
  });

  test('may have address, direction and RTCP port on the media line', () => {
    const offer = parseCarrierSdp(
      sdp('m=audio 5000 RTP/AVP 0', 'c=IN IP4 203.0.113.5', 'a=rtcp:5555', 'a=sendonly'),
    );
    expect(offer).toMatchObject({ address: '203.0.113.5', rtcpPort: 5_555, direction: 'sendonly' });
  });

  test('may have a host name, also on the media line', () => {
    const offer = parseCarrierSdp(sdp('m=audio 5000 RTP/AVP 0', 'c=IN IP4 media-1.carrier.example'));
    expect(offer.address).toBe('media-1.carrier.example');
  });

  test.each([
    [20, []],
    [30, ['a=ptime:30']],
    [60, ['a=ptime:200']],
    [20, ['a=ptime:25']],
    [10, ['a=ptime:10']],
    [10, ['a=ptime:5']],
    [40, ['a=ptime:60', 'a=maxptime:40']],
    [10, ['a=maxptime:10']],
    [20, ['a=maxptime:150']],
    [20, ['a=ptime:0']],
  ])('asks for packets of %i ms with %j', (ptimeMs, lines) => {
    expect(parseCarrierSdp(sdp('m=audio 5000 RTP/AVP 0', ...lines)).ptimeMs).toBe(ptimeMs);
  });

  test('has telephone events at 8000 Hz with any payload type, and none of another clock rate', () => {
    const of = (...lines: string[]) =>
      parseCarrierSdp(sdp('m=audio 5000 RTP/AVP 0 96 97', ...lines)).dtmfPayloadType;
    expect(of('a=rtpmap:96 telephone-event/48000', 'a=rtpmap:97 telephone-event/8000')).toBe(97);
    expect(of('a=rtpmap:96 telephone-event/16000')).toBeNull();
  });

  test('with payload types and RTCP ports out of range is parsed without them', () => {
    const wrong = parseCarrierSdp(
      sdp(
        'm=audio 65535 RTP/AVP 300 -8 8 301',
        'a=rtpmap:300 PCMU/8000',
        'a=rtpmap:301 telephone-event/8000',
      ),
    );
    expect(wrong).toMatchObject({
      codecs: [{ codec: 'PCMA', payloadType: 8 }],
      dtmfPayloadType: null,
      rtcpPort: 0,
    });
    for (const rtcp of ['70000', '']) {
      expect(parseCarrierSdp(sdp('m=audio 5000 RTP/AVP 0', `a=rtcp:${rtcp}`)).rtcpPort).toBe(0);
    }
  });

  test('with address 0.0.0.0 is on hold', () => {
    expect(parseCarrierSdp(sdp('m=audio 5000 RTP/AVP 0', 'c=IN IP4 0.0.0.0')).direction).toBe('inactive');
  });

  test.each([
    ['nothing', '', 400],
    ['no SDP', 'hello', 400],
    ['no media', sdp(), 488],
    ['video only', sdp('m=video 5000 RTP/AVP 96'), 488],
    ['a disabled media line', sdp('m=audio 0 RTP/AVP 0'), 488],
    ['DTLS-SRTP', sdp('m=audio 5000 UDP/TLS/RTP/SAVP 0'), 488],
    ['no supported codec', sdp('m=audio 5000 RTP/AVP 18'), 488],
    [
      'a supported payload type with another codec name',
      sdp('m=audio 5000 RTP/AVP 8', 'a=rtpmap:8 FOO/8000'),
      488,
    ],
    ['an invalid address', sdp('m=audio 5000 RTP/AVP 0', 'c=IN IP4 1.2.3'), 400],
    ['an invalid host name', sdp('m=audio 5000 RTP/AVP 0', 'c=IN IP4 -media.example'), 400],
    ['a port above 65535', sdp('m=audio 70000 RTP/AVP 0'), 400],
  ])('with %s is rejected', (_what, text, status) => {
    expect(() => parseCarrierSdp(text)).toThrow(expect.objectContaining({ name: 'SdpError', status }));
  });

  test('of any text is parsed or rejected with SdpError', () => {
    const line = fc.oneof(
      fc.constantFrom(
        'm=audio 5000 RTP/AVP 0 8 101',
        'a=rtpmap:101 telephone-event/8000',
        'a=inactive',
        'c=IN IP4 1.2.3.4',
      ),
      fc.string().map((text) => `a=${text}`),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        try {
          const offer = parseCarrierSdp(['v=0', ...lines].join('\r\n'));
          expect(offer.codecs.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(SdpError);
        }
      }),
    );
  });
});

test('our offer has both codecs in our order, telephone events and 20 ms packets', () => {
  const text = carrierOffer(local, ['PCMU', 'PCMA'], false);
  expect(text).toContain('m=audio 40000 RTP/AVP 0 8 101\r\n');
  expect(text).toContain('a=rtpmap:101 telephone-event/8000\r\n');
  expect(text).toContain('a=fmtp:101 0-15\r\n');
  expect(text).toContain('a=ptime:20\r\n');
  expect(text).toContain('c=IN IP4 192.0.2.10\r\n');
});

test('our answer repeats every media line, disables those we do not support, and mirrors payload types and direction', () => {
  const offer = parseCarrierSdp(
    sdp(
      'm=video 6000 RTP/AVP 96',
      'm=audio 5000 RTP/AVP 0 97',
      'a=rtpmap:97 telephone-event/8000',
      'a=sendonly',
    ),
  );
  const answer = carrierAnswer(local, offer, plain(offer));
  expect(answer).toContain('m=video 0 RTP/AVP 96\r\n');
  expect(answer).toContain('m=audio 40000 RTP/AVP 0 97\r\n');
  expect(answer).toContain('a=recvonly\r\n');
  const theirs = parseCarrierSdp(answer);
  expect(theirs).toMatchObject({ dtmfPayloadType: 97, codecs: offer.codecs });
});

test('an offer with an IPv6 address is rejected with 488 if media uses IPv4, whichever line contains it', () => {
  const onMedia = parseCarrierSdp(sdp('m=audio 5000 RTP/AVP 0', 'c=IN IP6 2001:db8::1'));
  expect(() => carrierAnswer(local, onMedia, plain(onMedia))).toThrow(
    expect.objectContaining({ status: 488 }),
  );
  const overridden = parseCarrierSdp(
    sdp('m=audio 5000 RTP/AVP 0').replace('c=IN IP4 198.51.100.1', 'c=IN IP6 2001:db8::1') +
      'c=IN IP4 198.51.100.1\r\n',
  );
  expect(carrierAnswer(local, overridden, plain(overridden))).toContain('m=audio 40000 RTP/AVP 0');
  expect(() => requireReachable(onMedia, '::')).not.toThrow();
});

test('directions are answered according to RFC 3264', () => {
  expect(answeringDirection('sendonly')).toBe('recvonly');
  expect(answeringDirection('recvonly')).toBe('sendonly');
  expect(answeringDirection('inactive')).toBe('inactive');
  expect(answeringDirection('sendrecv')).toBe('sendrecv');
});
