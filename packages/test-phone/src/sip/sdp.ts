/** The SDP of a phone: one audio line of G.711 without extras, as most carriers send, or with G.722 and encryption. */
import { payloadTypes, type Law } from '../rtp/g711.ts';
import { G722_PAYLOAD_TYPE } from '../rtp/g722.ts';
import type { Address } from '../rtp/port.ts';
import { srtpSuites, type SrtpKey, type SrtpSuite } from '../rtp/srtp.ts';

export const DTMF_PAYLOAD_TYPE = 101;

export interface SdpExtras {
  /** G.722 in front of the laws. */
  g722?: boolean;
  /** Encrypted audio: a key for each suite offered, or the one accepted, by its tag. */
  crypto?: readonly { tag: number; key: SrtpKey }[];
}

export function phoneSdp(
  media: Address,
  laws: readonly Law[],
  direction = 'sendrecv',
  { g722 = false, crypto }: SdpExtras = {},
): string {
  const types = [...(g722 ? [G722_PAYLOAD_TYPE] : []), ...laws.map((law) => payloadTypes[law])];
  const lines = [
    'v=0',
    `o=phone ${Date.now()} ${Date.now()} IN IP4 ${media.address}`,
    's=-',
    `c=IN IP4 ${media.address}`,
    't=0 0',
    `m=audio ${media.port} ${crypto ? 'RTP/SAVP' : 'RTP/AVP'} ${[...types, DTMF_PAYLOAD_TYPE].join(' ')}`,
    ...(g722 ? [`a=rtpmap:${G722_PAYLOAD_TYPE} G722/8000`] : []),
    ...(crypto ?? []).map(
      ({ tag, key }) => `a=crypto:${tag} ${key.suite} inline:${key.keyAndSalt.toString('base64')}`,
    ),
    ...laws.map((law) => `a=rtpmap:${payloadTypes[law]} ${law}/8000`),
    `a=rtpmap:${DTMF_PAYLOAD_TYPE} telephone-event/8000`,
    `a=fmtp:${DTMF_PAYLOAD_TYPE} 0-15`,
    'a=ptime:20',
    `a=${direction}`,
  ];
  return `${lines.join('\r\n')}\r\n`;
}

export interface RemoteAudio extends Address {
  law: Law;
  /** G.722 comes first. */
  g722: boolean;
  direction: string;
  /** The first line with a suite of this phone; null if the audio is not encrypted. */
  crypto: { tag: number; key: SrtpKey } | null;
}

/** The remote address, port and the first law that both sides support. Null if there is no usable audio line. */
export function readSdp(sdp: string, ours: readonly Law[], { g722 = false } = {}): RemoteAudio | null {
  const audio = /^m=audio (\d+) \S+ ([\d ]+)/m.exec(sdp);
  const wideband = g722 && audio?.[2]?.trim().startsWith(`${G722_PAYLOAD_TYPE} `) === true;
  const address =
    /^c=IN IP[46] ([^\s/]+)/m.exec(sdp.slice(audio?.index ?? 0))?.[1] ??
    /^c=IN IP[46] ([^\s/]+)/m.exec(sdp)?.[1];
  const law = audio?.[2]
    ?.trim()
    .split(/ +/)
    .map((type) => lawOf(type, sdp))
    .find((each) => each !== undefined && ours.includes(each));
  if (!audio || !address || !(law ?? wideband)) return null;
  const direction = /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/m.exec(sdp)?.[1] ?? 'sendrecv';
  return {
    address,
    port: Number(audio[1]),
    law: law ?? 'PCMA',
    g722: wideband,
    direction,
    crypto: cryptoOf(sdp),
  };
}

function cryptoOf(sdp: string): RemoteAudio['crypto'] {
  for (const [, tag, suite = '', inline = ''] of sdp.matchAll(/^a=crypto:(\d+) (\S+) inline:([^|\s]+)/gm)) {
    if (!Object.hasOwn(srtpSuites, suite)) continue;
    const key = { suite: suite as SrtpSuite, keyAndSalt: Buffer.from(inline, 'base64') };
    return { tag: Number(tag), key };
  }
  return null;
}

/** A dynamic payload type is defined by its rtpmap (RFC 8866, section 6.6). */
function lawOf(type: string, sdp: string): Law | undefined {
  const named = new RegExp(`^a=rtpmap:${type} (PCMA|PCMU)/8000`, 'm').exec(sdp)?.[1] ?? type;
  if (named === 'PCMA' || named === '8') return 'PCMA';
  return named === 'PCMU' || named === '0' ? 'PCMU' : undefined;
}
