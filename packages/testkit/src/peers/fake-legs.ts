/** What a media node without media says about its legs. */
import type { LegEnd, LegStats } from '@clarion/protocol/media';

/** An SDP offer that this node refuses. */
export const unanswerableOffer = 'no SDP at all';

/** The end of a leg, with defaults. */
export const legEndOf = (cause: LegEnd['cause'], more: Partial<LegEnd> = {}): LegEnd => ({
  cause,
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: cause,
  ...more,
});

/** The statistics of a leg, with defaults. */
export const legStatsOf = (more: Partial<LegStats> = {}): LegStats => ({
  codec: 'PCMA',
  durationMs: 20_000,
  receivedPackets: 1_000,
  lostPackets: 0,
  jitterMs: 2,
  roundTripMs: null,
  sentPackets: 1_000,
  remoteLossPercent: null,
  ...more,
});

/** A valid SDP of ICE, DTLS and Opus without anything behind it; the same for the same leg. */
export const sdpOfFakeLeg = (setup: 'actpass' | 'active', legId: string): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE audio',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 126',
    'c=IN IP4 0.0.0.0',
    'a=mid:audio',
    `a=ice-ufrag:${Buffer.from(legId).toString('hex').slice(-8)}`,
    'a=ice-pwd:abcdefghijklmnopqrstuv',
    `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
    `a=setup:${setup}`,
    'a=rtcp-mux',
    'a=rtpmap:111 opus/48000/2',
    'a=rtpmap:126 telephone-event/8000',
    '',
  ].join('\r\n');
