/**
 * Session descriptions with a WebRTC party that is reached through the ICE bridge (RFC 8829, RFC 8839, RFC 8842). Pure.
 * There is one audio line with Opus and telephone events. Other media lines of an offer are rejected with port 0 (RFC 3264
 * §6). Our description contains exactly one fingerprint, because Meta refuses any other number.
 */
import { isIP } from 'node:net';
import type { types } from 'mediasoup';
import { write, type MediaDescription, type SessionDescription } from 'sdp-transform';
import type { Direction } from '../sdp/carrier.ts';
import type { IceCredentials } from './ice-agent.ts';
import { canonicalIpv6, type Endpoint } from './stun-address.ts';
import { parseSdp } from '../sdp/parse-sdp.ts';

/** Meta's descriptions have about 2 kB, those of a browser up to 6 kB. */
const MAX_SDP_BYTES = 32_768;
const MAX_CANDIDATES = 16;
const MAX_PORT = 65_535;
const MAX_UINT32 = 0xffffffff;
const MAX_PAYLOAD_TYPE = 127;
/** RFC 8839 §5.4. */
const USERNAME_FRAGMENT = /^[\x21-\x7e]{4,256}$/;
const PASSWORD = /^[\x21-\x7e]{22,256}$/;
const SHA_256 = /^(?:[0-9a-f]{2}:){31}[0-9a-f]{2}$/i;
/** What Meta uses, also if an offer names others. */
const OPUS_PAYLOAD_TYPE = 111;
const TELEPHONE_EVENT_PAYLOAD_TYPE = 126;
/** RFC 8445 §5.1.2.1 for the only host candidate. */
const HOST_PRIORITY = 126 * 2 ** 24 + 65_535 * 2 ** 8 + 255;

/** The description lacks something, or contains what cannot be used. The message names the line. */
export class DescriptionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DescriptionError';
  }
}

export type DtlsSetup = 'active' | 'passive' | 'actpass';

export interface RemoteDescription {
  mid: string;
  credentials: IceCredentials;
  iceLite: boolean;
  /** UDP, numeric addresses, at least one. */
  candidates: (Endpoint & { priority: number })[];
  fingerprint: types.DtlsFingerprint;
  setup: DtlsSetup;
  opusPayloadType: number;
  telephoneEventPayloadType: number | null;
  /** From its point of view. */
  direction: Direction;
  /** The SSRC of its audio, if it is announced. */
  ssrc: number | null;
  /** Index of the audio line, and all media lines: an answer repeats every one. */
  audioIndex: number;
  lines: { type: string; protocol: string; payloads: string }[];
}

/** Throws DescriptionError. */
export function readRemoteDescription(sdp: string): RemoteDescription {
  const session = parsed(sdp);
  const audioIndex = session.media.findIndex(({ type, port }) => type === 'audio' && port > 0);
  const audio = session.media[audioIndex];
  if (!audio) throw new DescriptionError('m=audio is missing');
  if (!/^UDP\/TLS\/RTP\/SAVPF?$/.test(audio.protocol))
    throw new DescriptionError(`m=audio must use UDP/TLS/RTP/SAVPF, not ${audio.protocol}`);
  if (audio.rtcpMux === undefined) throw new DescriptionError('a=rtcp-mux is missing');
  const opusPayloadType = payloadTypeOf(audio, 'opus', 48_000);
  if (opusPayloadType === null) throw new DescriptionError('a=rtpmap: opus/48000 is missing');
  return {
    mid: String(audio.mid ?? '0'),
    credentials: credentialsOf(session, audio),
    iceLite: session.icelite !== undefined,
    candidates: candidatesOf(audio),
    fingerprint: fingerprintOf(sdp, audioIndex),
    setup: setupOf(audio.setup ?? session.setup),
    opusPayloadType,
    telephoneEventPayloadType: payloadTypeOf(audio, 'telephone-event', 8_000),
    direction: audio.direction ?? (session.direction as Direction | undefined) ?? 'sendrecv',
    ssrc: ssrcOf(audio),
    audioIndex,
    lines: session.media.map(({ type, protocol, payloads }) => ({
      type,
      protocol,
      payloads: String(payloads ?? ''),
    })),
  };
}

export interface OwnDescription {
  /** Any number. */
  sessionId: number;
  /** The public address and port of the bridge. */
  address: string;
  port: number;
  credentials: IceCredentials;
  /** mediasoup's. */
  fingerprints: readonly types.DtlsFingerprint[];
  /** The SSRC and CNAME of what we send. */
  ssrc: number;
  cname: string;
}

/** `remote`: the offer that is answered; null writes an offer. */
export function writeOwnDescription(own: OwnDescription, remote: RemoteDescription | null): string {
  const fingerprint = own.fingerprints.find(({ algorithm }) => algorithm === 'sha-256');
  if (!fingerprint) throw new DescriptionError('the transport has no sha-256 fingerprint');
  const audio = ownAudio(own, fingerprint, remote);
  const ipVer = isIP(own.address) === 6 ? 6 : 4;
  return write({
    version: 0,
    origin: {
      username: '-',
      sessionId: own.sessionId,
      sessionVersion: 1,
      netType: 'IN',
      ipVer,
      address: own.address,
    },
    name: '-',
    timing: { start: 0, stop: 0 },
    groups: [{ type: 'BUNDLE', mids: String(audio.mid) }],
    msidSemantic: { semantic: 'WMS', token: '*' },
    media: (remote?.lines ?? [null]).map((line, index) =>
      line === null || index === remote?.audioIndex
        ? audio
        : { type: line.type, port: 0, protocol: line.protocol, payloads: line.payloads, rtp: [], fmtp: [] },
    ),
  });
}

function ownAudio(
  own: OwnDescription,
  fingerprint: types.DtlsFingerprint,
  remote: RemoteDescription | null,
): SessionDescription['media'][number] {
  const opus = remote?.opusPayloadType ?? OPUS_PAYLOAD_TYPE;
  const events = remote ? remote.telephoneEventPayloadType : TELEPHONE_EVENT_PAYLOAD_TYPE;
  const rtp: MediaDescription['rtp'] = [{ payload: opus, codec: 'opus', rate: 48_000, encoding: 2 }];
  const fmtp = [{ payload: opus, config: 'minptime=20;useinbandfec=1' }];
  if (events !== null) {
    rtp.push({ payload: events, codec: 'telephone-event', rate: 8_000 });
    fmtp.push({ payload: events, config: '0-15' });
  }
  return {
    type: 'audio',
    port: own.port,
    protocol: 'UDP/TLS/RTP/SAVPF',
    payloads: rtp.map(({ payload }) => payload).join(' '),
    connection: { version: isIP(own.address) === 6 ? 6 : 4, ip: own.address },
    rtp,
    fmtp,
    mid: remote?.mid ?? 'audio',
    ptime: 20,
    maxptime: 20,
    direction: remote ? ANSWERED_DIRECTION[remote.direction] : 'sendrecv',
    msid: [{ id: 'clarion', appdata: 'audio' }],
    ssrcs: [{ id: own.ssrc, attribute: 'cname', value: own.cname }],
    iceUfrag: own.credentials.usernameFragment,
    icePwd: own.credentials.password,
    candidates: [
      {
        foundation: '1',
        component: 1,
        transport: 'udp',
        priority: HOST_PRIORITY,
        ip: own.address,
        port: own.port,
        type: 'host',
      },
    ],
    endOfCandidates: 'end-of-candidates',
    fingerprint: { type: 'sha-256', hash: fingerprint.value },
    setup: remote ? answeredSetup(remote.setup) : 'actpass',
    rtcpMux: 'rtcp-mux',
  };
}

const ANSWERED_DIRECTION: Record<Direction, Direction> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/** RFC 8842 §5.3: `actpass` is answered with `active`, so that DTLS does not wait for another round trip. */
function answeredSetup(remote: DtlsSetup): DtlsSetup {
  return remote === 'active' ? 'passive' : 'active';
}

function parsed(sdp: string): SessionDescription {
  if (Buffer.byteLength(sdp) > MAX_SDP_BYTES || !/^v=0\r?\n/.test(sdp))
    throw new DescriptionError('the description is not valid SDP');
  try {
    return parseSdp(sdp);
  } catch {
    throw new DescriptionError('the description is not valid SDP');
  }
}

function payloadTypeOf(audio: MediaDescription, codec: string, rate: number): number | null {
  const listed = String(audio.payloads ?? '').split(' ');
  const map = audio.rtp.find(
    (each) =>
      each.codec.toLowerCase() === codec && each.rate === rate && listed.includes(String(each.payload)),
  );
  return map && map.payload >= 0 && map.payload <= MAX_PAYLOAD_TYPE ? map.payload : null;
}

function credentialsOf(session: SessionDescription, audio: MediaDescription): IceCredentials {
  const usernameFragment = String(audio.iceUfrag ?? session.iceUfrag ?? '');
  const password = String(audio.icePwd ?? session.icePwd ?? '');
  if (!USERNAME_FRAGMENT.test(usernameFragment))
    throw new DescriptionError('a=ice-ufrag is missing or is not 4 to 256 characters');
  if (!PASSWORD.test(password))
    throw new DescriptionError('a=ice-pwd is missing or is not 22 to 256 characters');
  return { usernameFragment, password };
}

function candidatesOf(audio: MediaDescription): RemoteDescription['candidates'] {
  const candidates: RemoteDescription['candidates'] = [];
  for (const each of audio.candidates ?? []) {
    const { component, transport, ip, port, priority } = each;
    // A scoped address (`%`) is only meaningful on the machine that named it.
    const family = ip.includes('%') ? 0 : isIP(ip);
    if (component !== 1 || transport.toLowerCase() !== 'udp' || family === 0) continue;
    if (port < 1 || port > MAX_PORT || Number(priority) > MAX_UINT32) continue;
    if (candidates.length < MAX_CANDIDATES)
      candidates.push({
        address: family === 6 ? canonicalIpv6(ip) : ip,
        port,
        priority: Number(priority),
      });
  }
  if (candidates.length === 0)
    throw new DescriptionError('a=candidate: no UDP candidate with a numeric address');
  return candidates;
}

/** Read from the text, because several of these lines in one section are possible. */
function fingerprintOf(sdp: string, audioIndex: number): types.DtlsFingerprint {
  const sections = sdp.split(/^m=/m);
  for (const section of [sections[audioIndex + 1], sections[0]]) {
    for (const [, value = ''] of (section ?? '').matchAll(/^a=fingerprint:sha-256 (\S+)/gim))
      if (SHA_256.test(value)) return { algorithm: 'sha-256', value: value.toUpperCase() };
  }
  throw new DescriptionError('a=fingerprint: no sha-256 fingerprint');
}

function setupOf(setup: string | undefined): DtlsSetup {
  if (setup === 'active' || setup === 'passive' || setup === 'actpass') return setup;
  throw new DescriptionError('a=setup must be active, passive or actpass');
}

function ssrcOf(audio: MediaDescription): number | null {
  const id = Number(audio.ssrcs?.[0]?.id);
  return Number.isInteger(id) && id > 0 && id <= MAX_UINT32 ? id : null;
}
