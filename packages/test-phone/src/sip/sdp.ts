/** The SDP of a G.711 phone: one audio line without extras, as most carriers send. */
import { payloadTypes, type Law } from '../rtp/g711.ts';
import type { Address } from '../rtp/port.ts';

export const DTMF_PAYLOAD_TYPE = 101;

export function phoneSdp(media: Address, laws: readonly Law[], direction = 'sendrecv'): string {
  const types = laws.map((law) => payloadTypes[law]);
  const lines = [
    'v=0',
    `o=phone ${Date.now()} ${Date.now()} IN IP4 ${media.address}`,
    's=-',
    `c=IN IP4 ${media.address}`,
    't=0 0',
    `m=audio ${media.port} RTP/AVP ${[...types, DTMF_PAYLOAD_TYPE].join(' ')}`,
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
  direction: string;
}

/** The remote address, port and the first law that both sides support. Null if there is no usable audio line. */
export function readSdp(sdp: string, ours: readonly Law[]): RemoteAudio | null {
  const audio = /^m=audio (\d+) \S+ ([\d ]+)/m.exec(sdp);
  const address =
    /^c=IN IP[46] ([^\s/]+)/m.exec(sdp.slice(audio?.index ?? 0))?.[1] ??
    /^c=IN IP[46] ([^\s/]+)/m.exec(sdp)?.[1];
  const law = audio?.[2]
    ?.trim()
    .split(/ +/)
    .map((type) => lawOf(type, sdp))
    .find((each) => each !== undefined && ours.includes(each));
  if (!audio || !address || !law) return null;
  const direction = /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/m.exec(sdp)?.[1] ?? 'sendrecv';
  return { address, port: Number(audio[1]), law, direction };
}

/** A dynamic payload type is defined by its rtpmap (RFC 8866, section 6.6). */
function lawOf(type: string, sdp: string): Law | undefined {
  const named = new RegExp(`^a=rtpmap:${type} (PCMA|PCMU)/8000`, 'm').exec(sdp)?.[1] ?? type;
  if (named === 'PCMA' || named === '8') return 'PCMA';
  return named === 'PCMU' || named === '0' ? 'PCMU' : undefined;
}
