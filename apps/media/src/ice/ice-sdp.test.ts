import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DescriptionError,
  readRemoteDescription,
  writeOwnDescription,
  type OwnDescription,
} from './ice-sdp.ts';

const HASH = Array.from({ length: 32 }, (_, index) => (index + 16).toString(16).toUpperCase()).join(':');
const OTHER_HASH = Array.from({ length: 32 }, () => '00').join(':');

/** With the properties of Meta's offers. */
const OFFER = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE audio',
  'a=ice-lite',
  'm=audio 3482 UDP/TLS/RTP/SAVPF 111 126',
  'c=IN IP4 192.0.2.10',
  'a=rtcp:9 IN IP4 0.0.0.0',
  'a=candidate:1 1 udp 2113937151 192.0.2.10 3482 typ host generation 0 network-cost 50',
  'a=candidate:2 1 udp 2113939711 2001:DB8:0::1 3482 typ host generation 0 network-cost 50',
  'a=ice-ufrag:c0ffee',
  'a=ice-pwd:abcdefghijklmnopqrstuvwx',
  `a=fingerprint:sha-256 ${HASH}`,
  'a=setup:actpass',
  'a=mid:audio',
  'a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 maxaveragebitrate=20000;maxplaybackrate=16000;minptime=20;useinbandfec=1',
  'a=rtpmap:126 telephone-event/8000',
  'a=maxptime:20',
  'a=ptime:20',
  'a=ssrc:12345 cname:meta',
  '',
].join('\r\n');
const OWN: OwnDescription = {
  sessionId: 1,
  address: '198.51.100.4',
  port: 40_002,
  credentials: { usernameFragment: 'ufrg', password: 'p'.repeat(24) },
  fingerprints: [
    { algorithm: 'sha-1', value: 'AA' },
    { algorithm: 'sha-256', value: HASH },
    { algorithm: 'sha-512', value: 'BB' },
  ],
  ssrc: 7,
  cname: 'leg',
};
const without = (start: string): string =>
  OFFER.split('\r\n')
    .filter((line) => !line.startsWith(start))
    .join('\r\n');
const lines = (sdp: string, start: string): string[] =>
  sdp.split('\r\n').filter((line) => line.startsWith(start));

test('an offer of an ICE-lite party is read', () => {
  expect(readRemoteDescription(OFFER)).toEqual({
    mid: 'audio',
    credentials: { usernameFragment: 'c0ffee', password: 'abcdefghijklmnopqrstuvwx' },
    iceLite: true,
    candidates: [
      { address: '192.0.2.10', port: 3_482, priority: 2_113_937_151 },
      { address: '2001:db8::1', port: 3_482, priority: 2_113_939_711 },
    ],
    fingerprint: { algorithm: 'sha-256', value: HASH },
    setup: 'actpass',
    opusPayloadType: 111,
    telephoneEventPayloadType: 126,
    direction: 'sendrecv',
    ssrc: 12_345,
    audioIndex: 0,
    lines: [{ type: 'audio', protocol: 'UDP/TLS/RTP/SAVPF', payloads: '111 126' }],
  });
});

test.each([
  ['the media line', 'm=audio', 'm=audio'],
  ['ICE credentials', 'a=ice-ufrag', 'a=ice-ufrag'],
  ['a password', 'a=ice-pwd', 'a=ice-pwd'],
  ['candidates', 'a=candidate', 'a=candidate'],
  ['a fingerprint', 'a=fingerprint', 'a=fingerprint'],
  ['a DTLS role', 'a=setup', 'a=setup'],
  ['rtcp-mux', 'a=rtcp-mux', 'a=rtcp-mux'],
  ['Opus', 'a=rtpmap:111', 'opus'],
])('a description without %s is rejected, and the error names it', (_what, line, named) => {
  expect(() => readRemoteDescription(without(line))).toThrow(DescriptionError);
  expect(() => readRemoteDescription(without(line))).toThrow(named);
});

test.each([
  ['a host name', 'a=candidate:1 1 udp 1 a.local 3482 typ host'],
  ['TCP', 'a=candidate:1 1 tcp 1 192.0.2.1 9 typ host tcptype active'],
  ['another component', 'a=candidate:1 2 udp 1 192.0.2.1 3482 typ host'],
  ['port 0', 'a=candidate:1 1 udp 1 192.0.2.1 0 typ host'],
  ['a scoped address', 'a=candidate:1 1 udp 1 fe80::1%eth0 3482 typ host'],
])('a candidate with %s is not used', (_what, candidate) => {
  const offer = without('a=candidate').replace('a=mid', `${candidate}\r\na=mid`);
  expect(() => readRemoteDescription(offer)).toThrow('a=candidate');
});

test('of several fingerprints, the sha-256 one of the audio line counts', () => {
  const several = OFFER.replace(
    `a=fingerprint:sha-256 ${HASH}`,
    [
      'a=fingerprint:sha-1 AB:CD',
      `a=fingerprint:SHA-256 ${HASH.toLowerCase()}`,
      `a=fingerprint:sha-256 ${OTHER_HASH}`,
    ].join('\r\n'),
  ).replace('a=ice-lite', `a=ice-lite\r\na=fingerprint:sha-256 ${OTHER_HASH}`);
  expect(readRemoteDescription(several).fingerprint.value).toBe(HASH);
  const ofSession = without('a=fingerprint').replace(
    'a=ice-lite',
    `a=ice-lite\r\na=fingerprint:sha-256 ${OTHER_HASH}`,
  );
  expect(readRemoteDescription(ofSession).fingerprint.value).toBe(OTHER_HASH);
});

describe('our description', () => {
  test('as an offer has one audio line with Opus and telephone events, one fingerprint, and leaves the DTLS role open', () => {
    const offer = writeOwnDescription(OWN, null);
    expect(lines(offer, 'm=')).toEqual(['m=audio 40002 UDP/TLS/RTP/SAVPF 111 126']);
    expect(lines(offer, 'a=fingerprint')).toEqual([`a=fingerprint:sha-256 ${HASH}`]);
    expect(lines(offer, 'a=setup')).toEqual(['a=setup:actpass']);
    expect(lines(offer, 'a=rtpmap')).toEqual([
      'a=rtpmap:111 opus/48000/2',
      'a=rtpmap:126 telephone-event/8000',
    ]);
    expect(lines(offer, 'a=ice-lite')).toEqual([]);
    expect(readRemoteDescription(offer)).toMatchObject({
      credentials: OWN.credentials,
      iceLite: false,
      candidates: [{ address: OWN.address, port: OWN.port }],
      ssrc: OWN.ssrc,
    });
  });

  test.each([
    ['actpass', 'active'],
    ['passive', 'active'],
    ['active', 'passive'],
  ])('as the answer to a=setup:%s is %s', (offered, answered) => {
    const offer = readRemoteDescription(OFFER.replace('a=setup:actpass', `a=setup:${offered}`));
    expect(lines(writeOwnDescription(OWN, offer), 'a=setup')).toEqual([`a=setup:${answered}`]);
  });

  test('as an answer repeats the offered mid and payload types, and reverses the direction', () => {
    const offer = OFFER.replaceAll('111', '96')
      .replaceAll('126', '97')
      .replace('a=mid:audio', 'a=mid:7')
      .replace('a=sendrecv', 'a=sendonly');
    const answer = writeOwnDescription(OWN, readRemoteDescription(offer));
    expect(lines(answer, 'm=')).toEqual(['m=audio 40002 UDP/TLS/RTP/SAVPF 96 97']);
    expect(lines(answer, 'a=mid')).toEqual(['a=mid:7']);
    expect(lines(answer, 'a=group')).toEqual(['a=group:BUNDLE 7']);
    expect(lines(answer, 'a=recvonly')).toHaveLength(1);
  });

  test('rejects other media lines with port 0 instead of the whole offer', () => {
    const video = `${OFFER}m=video 3482 UDP/TLS/RTP/SAVPF 96\r\na=mid:video\r\na=rtpmap:96 VP8/90000\r\n`;
    const answer = writeOwnDescription(OWN, readRemoteDescription(video));
    expect(lines(answer, 'm=')).toEqual([
      'm=audio 40002 UDP/TLS/RTP/SAVPF 111 126',
      'm=video 0 UDP/TLS/RTP/SAVPF 96',
    ]);
    expect(lines(answer, 'a=group')).toEqual(['a=group:BUNDLE audio']);
  });

  test('without a sha-256 fingerprint of the transport is not written', () => {
    expect(() => writeOwnDescription({ ...OWN, fingerprints: [] }, null)).toThrow('sha-256');
  });

  test('announces an IPv6 address', () => {
    const offer = writeOwnDescription({ ...OWN, address: '2001:db8::4' }, null);
    expect(lines(offer, 'c=')).toEqual(['c=IN IP6 2001:db8::4']);
    expect(readRemoteDescription(offer).candidates[0]?.address).toBe('2001:db8::4');
  });
});

test('a description of arbitrary lines is read or rejected with DescriptionError', () => {
  const known = OFFER.split('\r\n').slice(1);
  const line = fc.oneof(
    fc.constantFrom(...known),
    fc.string({ maxLength: 60 }),
    fc
      .tuple(fc.constantFrom(...known), fc.nat({ max: 40 }), fc.string({ maxLength: 4 }))
      .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.boolean(), (body, whole) => {
      const text = ['v=0', ...(whole ? known : []), ...body].join('\r\n');
      try {
        const read = readRemoteDescription(text);
        expect(lines(writeOwnDescription(OWN, read), 'a=fingerprint')).toHaveLength(1);
        expect(read.candidates.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(DescriptionError);
      }
    }),
  );
});
