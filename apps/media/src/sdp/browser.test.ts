import fc from 'fast-check';
import { parse } from 'sdp-transform';
import { describe, expect, test } from 'vitest';
import { BadSdp, browserAnswer, microphoneParameters, parseBrowserOffer } from './browser.ts';

const FINGERPRINT = Array.from({ length: 32 }, (_, n) => (n + 16).toString(16).toUpperCase()).join(':');
const session = ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0'];
const audio = [
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 0 8 126',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:abcd',
  'a=ice-pwd:abcdefghijklmnopqrstuv',
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:126 telephone-event/8000',
  'a=ssrc:1234 cname:someone',
];
const text = (lines: string[]) => [...lines, ''].join('\r\n');
const offer = text([...session, ...audio]);
const without = (start: string) => text([...session, ...audio.filter((line) => !line.startsWith(start))]);
const instead = (start: string, line: string) =>
  text([...session, ...audio.map((one) => (one.startsWith(start) ? line : one))]);

describe('a browser’s offer', () => {
  test('is read', () => {
    expect(parseBrowserOffer(offer)).toEqual({
      mid: '0',
      laws: ['PCMU', 'PCMA'],
      fingerprint: { algorithm: 'sha-256', value: FINGERPRINT },
      ssrc: 1_234,
      midExtensionId: null,
      cname: 'someone',
      telephoneEventPayloadType: 126,
    });
  });

  test('without an SSRC is identified by its mid', () => {
    const parsed = parseBrowserOffer(without('a=ssrc'));
    expect(parsed).toMatchObject({ ssrc: null, midExtensionId: 4 });
    expect(microphoneParameters(parsed, ['PCMA'])).toMatchObject({ mid: '0', encodings: [{}] });
  });

  test.each([
    ['nothing', ''],
    ['no media', text(session)],
    ['two media lines', text([...session, ...audio, 'm=video 9 UDP/TLS/RTP/SAVPF 96'])],
    ['video', instead('m=', 'm=video 9 UDP/TLS/RTP/SAVPF 96')],
    ['plain RTP', instead('m=', 'm=audio 9 RTP/AVP 0')],
    ['no G.711', instead('m=', 'm=audio 9 UDP/TLS/RTP/SAVPF 111')],
    ['no ICE', without('a=ice-ufrag')],
    ['no fingerprint', without('a=fingerprint')],
    ['an outdated fingerprint hash', instead('a=fingerprint', 'a=fingerprint:sha-1 AB:CD')],
    ['an invalid fingerprint', instead('a=fingerprint', 'a=fingerprint:sha-256 AB:CD')],
    ['the wrong DTLS role', instead('a=setup', 'a=setup:passive')],
    ['no rtcp-mux', without('a=rtcp-mux')],
    [
      'neither SSRC nor mid extension',
      text([...session, ...audio.filter((l) => !/^a=(ssrc|extmap)/.test(l))]),
    ],
  ])('with %s is rejected with BadSdp', (_what, bad) => {
    expect(() => parseBrowserOffer(bad)).toThrow(BadSdp);
  });

  test('made of arbitrary lines is parsed or rejected with BadSdp', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(...audio),
            fc.string().map((line) => `a=${line}`),
            fc.string(),
          ),
        ),
        (lines) => {
          try {
            expect(parseBrowserOffer(text([...session, ...lines])).laws.length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(BadSdp);
          }
        },
      ),
    );
  });
});

test('our answer is one ICE-lite, DTLS-passive audio line with the allowed codecs in our order, and names no SSRC', () => {
  const answer = parse(
    browserAnswer(
      parseBrowserOffer(offer),
      ['PCMA', 'PCMU'],
      {
        ice: { usernameFragment: 'uf', password: 'pw', iceLite: true },
        candidates: [
          {
            foundation: 'udpcandidate',
            priority: 1,
            ip: '192.0.2.1',
            address: '192.0.2.1',
            protocol: 'udp',
            port: 40_443,
            type: 'host',
          },
        ],
        fingerprints: [{ algorithm: 'sha-256', value: FINGERPRINT }],
      },
      1,
    ),
  );
  expect(answer.icelite).toBe('ice-lite');
  expect(answer.media).toHaveLength(1);
  expect(answer.media[0]).toMatchObject({
    type: 'audio',
    payloads: '8 0 126',
    setup: 'passive',
    direction: 'sendrecv',
    mid: 0,
    iceUfrag: 'uf',
    fingerprint: { type: 'sha-256', hash: FINGERPRINT },
  });
  expect(answer.media[0]?.ssrcs).toBeUndefined();
  expect(answer.media[0]?.candidates?.[0]).toMatchObject({ ip: '192.0.2.1', port: 40_443, type: 'host' });
});
