/**
 * SDP with carriers (RFC 3264, RFC 4566): one audio line of G.711 with telephone events. Pure. Our address and port
 * stay the same for the whole life of a leg.
 */
import { isIP } from 'node:net';
import type { FailureCode } from '@clarion/protocol';
import { parse, write, type SessionDescription } from 'sdp-transform';
import { LAW_PAYLOAD_TYPE, type Law } from '../rtp/g711.ts';

export const DTMF_PAYLOAD_TYPE = 101;
/** The packet length that we ask for, and send if the remote party does not ask for another. */
export const PTIME_MS = 20;
/** Packet lengths that we can send: every multiple of 10 ms in this range. */
const MIN_PTIME_MS = 10;
const MAX_PTIME_MS = 60;
/** The SDP of carriers has a few hundred bytes; longer SDP is rejected. */
const MAX_SDP_BYTES = 8_192;

/** RFC 3550 §5.1: seven bits. */
const MAX_PAYLOAD_TYPE = 127;
const MAX_PORT = 65_535;
/** RFC 1123 §2.1. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z](?:[a-z\d-]{0,61}[a-z\d])?\.?$/i;

/** `status` is the SIP response: 400 for SDP that cannot be parsed, 488 for SDP that cannot be accepted. */
export class SdpError extends Error {
  readonly status: 400 | 488;
  readonly reason: FailureCode;

  constructor(
    message: string,
    status: 400 | 488,
    reason: FailureCode = status === 400 ? 'invite_malformed' : 'no_common_codec',
  ) {
    super(message);
    this.name = 'SdpError';
    this.status = status;
    this.reason = reason;
  }
}

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** The remote party's session description. */
export interface CarrierSdp {
  /** From the audio line, or else from the session. A host name until it is resolved (`resolve.ts`). */
  address: string;
  port: number;
  /** 0: there is no port for RTCP reports. */
  rtcpPort: number;
  /** In the remote party's order of preference, with its payload types. */
  laws: { law: Law; payloadType: number }[];
  dtmfPayloadType: number | null;
  /** The packet length it asks for: `a=ptime` within `a=maxptime`, as a multiple of 10 ms. */
  ptimeMs: number;
  /** From its point of view. `c=0.0.0.0`, the obsolete form of hold, is read as `inactive`. */
  direction: Direction;
  /** Index of the audio line, and all media lines: the answer repeats every one (RFC 3264 §6). */
  audioIndex: number;
  lines: { type: string; protocol: string; payloads: string }[];
}

export function parseCarrierSdp(text: string): CarrierSdp {
  if (Buffer.byteLength(text) > MAX_SDP_BYTES || !/^v=0\r?\n/.test(text)) {
    throw new SdpError('the SDP is invalid', 400);
  }
  let session: SessionDescription;
  try {
    session = parse(text);
  } catch {
    throw new SdpError('the SDP is invalid', 400);
  }
  const audioIndex = session.media.findIndex(
    (media) => media.type === 'audio' && media.port > 0 && media.protocol === 'RTP/AVP',
  );
  const audio = session.media[audioIndex];
  if (!audio) throw new SdpError('the SDP has no RTP/AVP audio line', 488);
  const address = audio.connection?.ip ?? session.connection?.ip;
  if (address === undefined || (isIP(address) === 0 && !HOST_NAME.test(address))) {
    throw new SdpError('the SDP has no valid address', 400);
  }
  if (!Number.isInteger(audio.port) || audio.port > MAX_PORT) throw new SdpError('the SDP has no port', 400);

  const names = new Map(
    audio.rtp.map((map) => [map.payload, { name: map.codec.toUpperCase(), rate: map.rate }]),
  );
  const laws: CarrierSdp['laws'] = [];
  let dtmfPayloadType: number | null = null;
  for (const token of String(audio.payloads ?? '').split(' ')) {
    const payloadType = Number(token);
    if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > MAX_PAYLOAD_TYPE) continue;
    const named = names.get(payloadType);
    const law = lawNamed(named?.name) ?? (named ? null : staticLaw(payloadType));
    if (law && !laws.some((known) => known.law === law)) laws.push({ law, payloadType });
    if (named?.name === 'TELEPHONE-EVENT' && named.rate === 8_000) dtmfPayloadType ??= payloadType;
  }
  if (laws.length === 0) throw new SdpError('the SDP offers neither PCMU nor PCMA', 488);

  const stated = (audio.direction ?? (session.direction as Direction | undefined) ?? 'sendrecv') as Direction;
  return {
    address,
    port: audio.port,
    rtcpPort: rtcpPort(audio.rtcp?.port, audio.port),
    laws,
    dtmfPayloadType,
    ptimeMs: packetTime(audio.ptime, audio.maxptime),
    direction: isUnspecified(address) ? 'inactive' : stated,
    audioIndex,
    lines: session.media.map((media) => ({
      type: media.type,
      protocol: media.protocol,
      payloads: String(media.payloads ?? ''),
    })),
  };
}

/** A length that we cannot send is rounded down. */
function packetTime(ptime: number | undefined, maxptime: number | undefined): number {
  const longest = maxptime !== undefined && maxptime > 0 ? maxptime : MAX_PTIME_MS;
  const wanted = Math.min(ptime !== undefined && ptime > 0 ? ptime : PTIME_MS, longest, MAX_PTIME_MS);
  return Math.max(MIN_PTIME_MS, Math.floor(wanted / MIN_PTIME_MS) * MIN_PTIME_MS);
}

function rtcpPort(stated: number | undefined, rtpPort: number): number {
  const port = stated ?? rtpPort + 1;
  return Number.isInteger(port) && port <= MAX_PORT ? port : 0;
}

export const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** Throws 488 if the remote party's audio uses IPv6 and our sockets are bound to an IPv4 address. */
export function requireReachable(remote: Pick<CarrierSdp, 'address'>, boundAddress: string): void {
  if (isIP(remote.address) === 6 && isIP(boundAddress) === 4) {
    throw new SdpError('the SDP has an IPv6 address, but media uses IPv4', 488, 'address_family');
  }
}

const lawNamed = (name: string | undefined): Law | null => (name === 'PCMU' || name === 'PCMA' ? name : null);

function staticLaw(payloadType: number): Law | null {
  if (payloadType === LAW_PAYLOAD_TYPE.PCMU) return 'PCMU';
  return payloadType === LAW_PAYLOAD_TYPE.PCMA ? 'PCMA' : null;
}

/** RFC 3264 §6.1: the answer to the direction `offered`. */
export function answeringDirection(offered: Direction): Direction {
  if (offered === 'sendonly') return 'recvonly';
  if (offered === 'recvonly') return 'sendonly';
  return offered;
}

export interface LocalMedia {
  address: string;
  port: number;
  /** `o=` line: the ID stays, the version increases with every changed description. */
  sessionId: number;
  sessionVersion: number;
}

function describe(local: LocalMedia, media: SessionDescription['media']): string {
  const family = isIP(local.address) === 6 ? 6 : 4;
  return write({
    version: 0,
    origin: {
      username: '-',
      sessionId: local.sessionId,
      sessionVersion: local.sessionVersion,
      netType: 'IN',
      ipVer: family,
      address: local.address,
    },
    name: '-',
    connection: { version: family, ip: local.address },
    timing: { start: 0, stop: 0 },
    media,
  });
}

function audioLine(
  port: number,
  laws: readonly { law: Law; payloadType: number }[],
  dtmfPayloadType: number | null,
  direction: Direction,
): SessionDescription['media'][number] {
  const rtp = laws.map(({ law, payloadType }) => ({ payload: payloadType, codec: law, rate: 8_000 }));
  const fmtp: { payload: number; config: string }[] = [];
  if (dtmfPayloadType !== null) {
    rtp.push({ payload: dtmfPayloadType, codec: 'telephone-event' as Law, rate: 8_000 });
    fmtp.push({ payload: dtmfPayloadType, config: '0-15' });
  }
  return {
    type: 'audio',
    port,
    protocol: 'RTP/AVP',
    payloads: rtp.map((map) => map.payload).join(' '),
    rtp,
    fmtp,
    ptime: PTIME_MS,
    direction,
  };
}

/**
 * Our offer: `laws` in our order of preference, in both directions. Within a session, `known` is the last negotiated
 * description: every media line keeps its place (RFC 3264 §8) and a payload type its meaning (§8.3.2).
 */
export function carrierOffer(local: LocalMedia, laws: readonly Law[], known?: CarrierSdp): string {
  const numbered = laws.map((law) => ({ law, payloadType: LAW_PAYLOAD_TYPE[law] }));
  const dtmfPayloadType = known?.dtmfPayloadType ?? DTMF_PAYLOAD_TYPE;
  const audio = audioLine(local.port, numbered, dtmfPayloadType, 'sendrecv');
  if (!known) return describe(local, [audio]);
  return describe(
    local,
    known.lines.map((line, index) => (index === known.audioIndex ? audio : disabledLine(line))),
  );
}

const disabledLine = (line: CarrierSdp['lines'][number]): SessionDescription['media'][number] => ({
  type: line.type,
  port: 0,
  protocol: line.protocol,
  payloads: line.payloads,
  rtp: [],
  fmtp: [],
});

/**
 * Accepts both codecs if both are offered, so that the remote party may switch without renegotiating; the first is the
 * one we send. Throws 488 if the offered address is unreachable.
 */
export function carrierAnswer(
  local: LocalMedia,
  offer: CarrierSdp,
  laws: readonly { law: Law; payloadType: number }[],
): string {
  requireReachable(offer, local.address);
  const lines = offer.lines.map((line, index) =>
    index === offer.audioIndex
      ? audioLine(local.port, laws, offer.dtmfPayloadType, answeringDirection(offer.direction))
      : disabledLine(line),
  );
  return describe(local, lines);
}
