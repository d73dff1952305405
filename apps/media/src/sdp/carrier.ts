/**
 * SDP with carriers (RFC 3264, RFC 4566): one audio line of G.711 or G.722 with telephone events, encrypted if both
 * parties have keys (crypto.ts). Pure. Our address and port stay the same for the whole life of a leg.
 */
import { isIP } from 'node:net';
import type { CarrierCodec } from '@clarion/protocol/media';
import { write, type SessionDescription } from 'sdp-transform';
import { LAW_PAYLOAD_TYPE } from '../rtp/g711.ts';
import { G722_PAYLOAD_TYPE } from '../rtp/g722.ts';
import {
  answeredCrypto,
  offeredCrypto,
  PLAIN_PROTOCOL,
  SECURE_PROTOCOL,
  usableCryptoLines,
  type CryptoAttribute,
  type CryptoLine,
  type LocalKeys,
  type SessionKeyPair,
  type SrtpPolicy,
} from './crypto.ts';
import { SdpError } from './sdp-error.ts';
import { parseSdp } from './parse-sdp.ts';

export { SdpError };

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

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** Static payload types (RFC 3551 table 4). All have a clock of 8 kHz in RTP, G.722 too (§4.5.2). */
export const CODEC_PAYLOAD_TYPE: Readonly<Record<CarrierCodec, number>> = {
  ...LAW_PAYLOAD_TYPE,
  G722: G722_PAYLOAD_TYPE,
};
const RTP_CLOCK = 8_000;

export interface NumberedCodec {
  codec: CarrierCodec;
  payloadType: number;
}

/** The remote party's session description. */
export interface CarrierSdp {
  /** From the audio line, or else from the session. A host name until it is resolved (`resolve.ts`). */
  address: string;
  port: number;
  /** 0: there is no port for RTCP reports. */
  rtcpPort: number;
  /** In the remote party's order of preference, with its payload types. */
  codecs: NumberedCodec[];
  dtmfPayloadType: number | null;
  /** The keys that we can use, in its order of preference; null: the audio is not encrypted. */
  crypto: CryptoLine[] | null;
  /** The packet length it asks for: `a=ptime` within `a=maxptime`, as a multiple of 10 ms. */
  ptimeMs: number;
  /** From its point of view. `c=0.0.0.0`, the obsolete form of hold, is read as `inactive`. */
  direction: Direction;
  /** Index of the audio line, and all media lines: the answer repeats every one (RFC 3264 §6). */
  audioIndex: number;
  lines: { type: string; protocol: string; payloads: string }[];
}

/** @param srtp which line to use if there are an encrypted and a plain one; `requirePolicy` enforces it */
export function parseCarrierSdp(text: string, srtp: SrtpPolicy = 'allowed'): CarrierSdp {
  if (Buffer.byteLength(text) > MAX_SDP_BYTES || !/^v=0\r?\n/.test(text)) {
    throw new SdpError('the SDP is invalid', 400);
  }
  let session: SessionDescription;
  try {
    session = parseSdp(text);
  } catch {
    throw new SdpError('the SDP is invalid', 400);
  }
  const audioIndex = findAudioLine(session, srtp);
  const audio = session.media[audioIndex];
  if (!audio) throw new SdpError('the SDP has no RTP/AVP or RTP/SAVP audio line', 488, 'no_common_codec');
  const address = audio.connection?.ip ?? session.connection?.ip;
  if (address === undefined || (isIP(address) === 0 && !HOST_NAME.test(address))) {
    throw new SdpError('the SDP has no valid address', 400);
  }
  if (!Number.isInteger(audio.port) || audio.port > MAX_PORT) throw new SdpError('the SDP has no port', 400);

  const names = new Map(
    audio.rtp.map((map) => [map.payload, { name: map.codec.toUpperCase(), rate: map.rate }]),
  );
  const codecs: NumberedCodec[] = [];
  let dtmfPayloadType: number | null = null;
  for (const token of String(audio.payloads ?? '').split(' ')) {
    const payloadType = Number(token);
    if (!Number.isInteger(payloadType) || payloadType < 0 || payloadType > MAX_PAYLOAD_TYPE) continue;
    const named = names.get(payloadType);
    const codec = named ? codecNamed(named.name) : staticCodec(payloadType);
    if (codec && !codecs.some((known) => known.codec === codec)) codecs.push({ codec, payloadType });
    if (named?.name === 'TELEPHONE-EVENT' && named.rate === RTP_CLOCK) dtmfPayloadType ??= payloadType;
  }
  if (codecs.length === 0)
    throw new SdpError('the SDP offers none of PCMU, PCMA and G722', 488, 'no_common_codec');

  const stated = (audio.direction ?? (session.direction as Direction | undefined) ?? 'sendrecv') as Direction;
  return {
    address,
    port: audio.port,
    rtcpPort: rtcpPort(audio.rtcp?.port, audio.port),
    codecs,
    dtmfPayloadType,
    crypto: audio.protocol === SECURE_PROTOCOL ? usableCryptoLines(cryptoAttributes(text, audioIndex)) : null,
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

/** Index of the first audio line, encrypted or plain as the policy prefers; -1 if there is none. */
function findAudioLine(session: SessionDescription, srtp: SrtpPolicy): number {
  const indexOf = (protocol: string) =>
    session.media.findIndex(
      (media) => media.type === 'audio' && media.port > 0 && media.protocol === protocol,
    );
  const [plain, secure] = [indexOf(PLAIN_PROTOCOL), indexOf(SECURE_PROTOCOL)];
  const preferred = srtp === 'never' ? plain : secure;
  return preferred >= 0 ? preferred : Math.max(plain, secure);
}

/** The values of the `a=crypto` lines; sdp-transform reads only one of several session parameters. */
function cryptoAttributes(text: string, mediaIndex: number): string[] {
  const lines = text.split(/^m=/m)[mediaIndex + 1]?.split(/\r?\n/) ?? [];
  return lines.flatMap((line) => (line.startsWith('a=crypto:') ? line.slice('a=crypto:'.length) : []));
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

const CODECS = Object.keys(CODEC_PAYLOAD_TYPE) as CarrierCodec[];
const codecNamed = (name: string): CarrierCodec | null => CODECS.find((codec) => codec === name) ?? null;
const staticCodec = (payloadType: number): CarrierCodec | null =>
  CODECS.find((codec) => CODEC_PAYLOAD_TYPE[codec] === payloadType) ?? null;

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
  keys: LocalKeys;
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

interface AudioLine {
  port: number;
  codecs: readonly NumberedCodec[];
  dtmfPayloadType: number | null;
  direction: Direction;
  /** Null: the audio is not encrypted. */
  crypto: CryptoAttribute[] | null;
}

function audioLine(line: AudioLine): SessionDescription['media'][number] {
  const { port, codecs, dtmfPayloadType, direction, crypto } = line;
  const rtp = codecs.map(({ codec, payloadType }) => ({
    payload: payloadType,
    codec: codec as string,
    rate: RTP_CLOCK,
  }));
  const fmtp: { payload: number; config: string }[] = [];
  if (dtmfPayloadType !== null) {
    rtp.push({ payload: dtmfPayloadType, codec: 'telephone-event', rate: RTP_CLOCK });
    fmtp.push({ payload: dtmfPayloadType, config: '0-15' });
  }
  return {
    type: 'audio',
    port,
    protocol: crypto ? SECURE_PROTOCOL : PLAIN_PROTOCOL,
    payloads: rtp.map((map) => map.payload).join(' '),
    rtp,
    fmtp,
    ...(crypto ? { crypto } : {}),
    ptime: PTIME_MS,
    direction,
  };
}

/**
 * Our offer: `codecs` in our order of preference, in both directions. Within a session, `known` is the last negotiated
 * description: every media line keeps its place (RFC 3264 §8) and a payload type its meaning (§8.3.2).
 */
export function carrierOffer(
  local: LocalMedia,
  codecs: readonly CarrierCodec[],
  encrypted: boolean,
  known?: CarrierSdp,
): string {
  const audio = audioLine({
    port: local.port,
    codecs: codecs.map((codec) => ({ codec, payloadType: CODEC_PAYLOAD_TYPE[codec] })),
    dtmfPayloadType: known?.dtmfPayloadType ?? DTMF_PAYLOAD_TYPE,
    direction: 'sendrecv',
    crypto: encrypted ? offeredCrypto(local.keys) : null,
  });
  if (!known) return describe(local, [audio]);
  return describe(
    local,
    known.lines.map((line, index) => (index === known.audioIndex ? audio : disabledLine(line))),
  );
}

/** Whether a description of ours is encrypted. */
export const isEncrypted = (description: string): boolean => description.includes(` ${SECURE_PROTOCOL} `);

const disabledLine = (line: CarrierSdp['lines'][number]): SessionDescription['media'][number] => ({
  type: line.type,
  port: 0,
  protocol: line.protocol,
  payloads: line.payloads,
  rtp: [],
  fmtp: [],
});

/**
 * Accepts all `codecs`, so that the remote party may switch without renegotiating; the first is the one we send. Throws
 * 488 if the offered address is unreachable.
 */
export function carrierAnswer(
  local: LocalMedia,
  offer: CarrierSdp,
  { codecs, keys }: { codecs: readonly NumberedCodec[]; keys: SessionKeyPair | null },
): string {
  requireReachable(offer, local.address);
  const audio = audioLine({
    port: local.port,
    codecs,
    dtmfPayloadType: offer.dtmfPayloadType,
    direction: answeringDirection(offer.direction),
    crypto: keys && answeredCrypto(keys),
  });
  const lines = offer.lines.map((line, index) => (index === offer.audioIndex ? audio : disabledLine(line)));
  return describe(local, lines);
}
