/**
 * SDP with an agent's browser (RFC 8829, RFC 8839, RFC 8842), without mediasoup-client: converts the offer of a plain
 * RTCPeerConnection to mediasoup's parameters, and mediasoup's transport to an answer. Pure.
 *
 * There is always one `m=audio`. The answer announces no SSRC for what we send: each source an agent hears is a
 * mediasoup consumer with its own SSRC, and a receiver without announced SSRCs assigns packets by payload type (RFC
 * 8843 §9.2).
 */
import type { types } from 'mediasoup';
import { write, type MediaDescription, type SessionDescription } from 'sdp-transform';
import { LAW_PAYLOAD_TYPE, type Law } from '../rtp/g711.ts';
import { parseSdp } from './parse-sdp.ts';

/** A browser's audio offer has 2 to 6 kB. */
const MAX_SDP_BYTES = 32_768;
const FINGERPRINT = /^(?:[0-9a-f]{2}:){31}[0-9a-f]{2}$/i;

export class BadSdp extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadSdp';
  }
}

export interface BrowserOffer {
  mid: string;
  /** In the browser's order. */
  laws: Law[];
  fingerprint: types.DtlsFingerprint;
  /** The SSRC of the microphone, if the offer announces it. */
  ssrc: number | null;
  /**
   * Header extension ID of `urn:ietf:params:rtp-hdrext:sdes:mid`, if nothing else identifies the microphone's packets.
   */
  midExtensionId: number | null;
  cname: string | null;
  telephoneEventPayloadType: number | null;
}

const MID_EXTENSION = 'urn:ietf:params:rtp-hdrext:sdes:mid';

export function parseBrowserOffer(text: string): BrowserOffer {
  if (Buffer.byteLength(text) > MAX_SDP_BYTES || !/^v=0\r?\n/.test(text))
    throw new BadSdp('the offer is not valid SDP');
  let session: SessionDescription;
  try {
    session = parseSdp(text);
  } catch {
    throw new BadSdp('the offer is not valid SDP');
  }
  const audio = session.media[0];
  if (!audio || session.media.length !== 1 || audio.type !== 'audio') {
    throw new BadSdp('the offer must have exactly one media line, and it must be audio');
  }
  if (audio.port === 0 || !/^UDP\/TLS\/RTP\/SAVPF?$/.test(audio.protocol)) {
    throw new BadSdp('the audio line must be UDP/TLS/RTP/SAVPF');
  }
  if (audio.rtcpMux === undefined) throw new BadSdp('the audio line must have a=rtcp-mux');
  const setup = audio.setup ?? session.setup ?? 'actpass';
  if (setup !== 'actpass' && setup !== 'active')
    throw new BadSdp('the offer must allow the DTLS client role');
  if (!(audio.iceUfrag ?? session.iceUfrag)) throw new BadSdp('the offer has no ICE credentials');

  const ssrc = firstSsrc(audio);
  const mid = audio.ext?.find((extension) => extension.uri === MID_EXTENSION)?.value ?? null;
  if (ssrc === null && mid === null) throw new BadSdp('the offer has neither an SSRC nor the mid extension');
  return {
    mid: String(audio.mid ?? '0'),
    laws: lawsOf(audio),
    fingerprint: fingerprintOf(session, audio),
    ssrc,
    // If the extension is negotiated, a browser expects it in every packet and no longer assigns packets by payload
    // type.
    midExtensionId: ssrc === null ? mid : null,
    cname: audio.ssrcs?.find((line) => line.attribute === 'cname')?.value ?? null,
    telephoneEventPayloadType:
      audio.rtp.find((map) => map.codec.toLowerCase() === 'telephone-event' && map.rate === 8_000)?.payload ??
      null,
  };
}

function lawsOf(audio: MediaDescription): Law[] {
  const laws: Law[] = [];
  for (const token of String(audio.payloads ?? '').split(' ')) {
    for (const law of ['PCMU', 'PCMA'] as const) {
      if (Number(token) === LAW_PAYLOAD_TYPE[law]) laws.push(law);
    }
  }
  if (laws.length === 0) throw new BadSdp('the offer has neither PCMU nor PCMA');
  return laws;
}

function fingerprintOf(session: SessionDescription, audio: MediaDescription): types.DtlsFingerprint {
  const stated = audio.fingerprint ?? session.fingerprint;
  if (stated?.type.toLowerCase() !== 'sha-256' || !FINGERPRINT.test(stated.hash)) {
    throw new BadSdp('the offer has no sha-256 fingerprint');
  }
  return { algorithm: 'sha-256', value: stated.hash.toUpperCase() };
}

function firstSsrc(audio: MediaDescription): number | null {
  const id = Number(audio.ssrcs?.[0]?.id);
  return Number.isInteger(id) && id > 0 && id <= 0xffffffff ? id : null;
}

/** The microphone as mediasoup parameters. `laws` are those of the answer. */
export function microphoneParameters(offer: BrowserOffer, laws: readonly Law[]): types.RtpParameters {
  return {
    mid: offer.mid,
    codecs: laws.map((law) => ({
      mimeType: `audio/${law}`,
      payloadType: LAW_PAYLOAD_TYPE[law],
      clockRate: 8_000,
    })),
    headerExtensions: offer.midExtensionId === null ? [] : [{ uri: MID_EXTENSION, id: offer.midExtensionId }],
    encodings: offer.ssrc === null ? [{}] : [{ ssrc: offer.ssrc }],
    rtcp: offer.cname === null ? {} : { cname: offer.cname },
  };
}

export interface AnswerTransport {
  ice: types.IceParameters;
  candidates: types.IceCandidate[];
  fingerprints: types.DtlsFingerprint[];
}

/** `sessionId` is any number; `laws` are the allowed codecs, the preferred one first. */
export function browserAnswer(
  offer: BrowserOffer,
  laws: readonly Law[],
  transport: AnswerTransport,
  sessionId: number,
): string {
  const fingerprint = transport.fingerprints.find((one) => one.algorithm === 'sha-256');
  if (!fingerprint) throw new Error('the transport has no sha-256 fingerprint');
  const rtp: MediaDescription['rtp'] = laws.map((law) => ({
    payload: LAW_PAYLOAD_TYPE[law],
    codec: law,
    rate: 8_000,
  }));
  if (offer.telephoneEventPayloadType !== null) {
    rtp.push({ payload: offer.telephoneEventPayloadType, codec: 'telephone-event', rate: 8_000 });
  }
  return write({
    version: 0,
    origin: { username: '-', sessionId, sessionVersion: 1, netType: 'IN', ipVer: 4, address: '0.0.0.0' },
    name: '-',
    timing: { start: 0, stop: 0 },
    icelite: 'ice-lite',
    groups: [{ type: 'BUNDLE', mids: offer.mid }],
    msidSemantic: { semantic: 'WMS', token: '*' },
    media: [
      {
        type: 'audio',
        port: 9,
        protocol: 'UDP/TLS/RTP/SAVPF',
        payloads: rtp.map((map) => map.payload).join(' '),
        connection: { version: 4, ip: '0.0.0.0' },
        rtp,
        fmtp: [],
        mid: offer.mid,
        ptime: 20,
        direction: 'sendrecv',
        msid: [{ id: 'clarion', appdata: 'audio' }],
        iceUfrag: transport.ice.usernameFragment,
        icePwd: transport.ice.password,
        candidates: transport.candidates.map((candidate) => ({
          foundation: candidate.foundation,
          component: 1,
          transport: candidate.protocol,
          priority: candidate.priority,
          ip: candidate.address,
          port: candidate.port,
          type: candidate.type,
          ...(candidate.tcpType ? { tcptype: candidate.tcpType } : {}),
        })),
        endOfCandidates: 'end-of-candidates',
        fingerprint: { type: 'sha-256', hash: fingerprint.value },
        setup: 'passive',
        ...(offer.midExtensionId === null
          ? {}
          : { ext: [{ value: offer.midExtensionId, uri: MID_EXTENSION }] }),
        rtcpMux: 'rtcp-mux',
        rtcpRsize: 'rtcp-rsize',
      },
    ],
  });
}
