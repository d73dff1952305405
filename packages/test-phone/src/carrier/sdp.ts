/** Variants of the SDP of carriers (RFC 8866, RFC 3264): one session ID per call, and a version that increases with each description. */
import { payloadTypes, type Law } from '../rtp/g711.ts';
import type { SipCall } from '../sip/call.ts';
import { DTMF_PAYLOAD_TYPE } from '../sip/sdp.ts';

export interface SdpChanges {
  address?: string;
  port?: number;
  direction?: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive' | null;
  laws?: readonly Law[];
  /** Payload types of the laws, if they are not the static ones. */
  types?: Partial<Record<Law, number>>;
  /** Payload type of telephone events; null: none are offered. */
  eventType?: number | null;
  ptime?: number | null;
  protocol?: string;
  /** Formats before ours, with their attributes. */
  before?: { formats: readonly number[]; lines: readonly string[] };
  /** Additional attributes of the audio line. */
  lines?: readonly string[];
  /** Puts the connection line at the audio line, and this address at the session level. */
  sessionAddress?: string;
  /** Lines of other media before and after the audio. */
  mediaBefore?: readonly string[];
  mediaAfter?: readonly string[];
  /** The `o=` line verbatim; default: the session ID of the call and the next version. */
  origin?: string;
  /** Repeats the previous `o=` line. */
  sameVersion?: boolean;
}

const versions = new WeakMap<SipCall, { id: number; version: number }>();
let sessions = 1_000;

function originOf(call: SipCall, same: boolean): string {
  const session = versions.get(call) ?? { id: (sessions += 1), version: 0 };
  versions.set(call, session);
  if (!same) session.version += 1;
  return `carrier ${session.id} ${session.version} IN IP4 ${call.audio.address}`;
}

export function carrierSdp(call: SipCall, changes: SdpChanges = {}): string {
  const { laws = call.laws, types = {}, eventType = DTMF_PAYLOAD_TYPE, ptime = 20 } = changes;
  const { address = call.audio.address, port = call.audio.port, direction = 'sendrecv' } = changes;
  const { protocol = 'RTP/AVP', before, sessionAddress } = changes;
  const typeOf = (law: Law) => types[law] ?? payloadTypes[law];
  const formats = [
    ...(before?.formats ?? []),
    ...laws.map(typeOf),
    ...(eventType === null ? [] : [eventType]),
  ];
  const lines = [
    'v=0',
    `o=${changes.origin ?? originOf(call, changes.sameVersion ?? false)}`,
    's=-',
    `c=IN IP4 ${sessionAddress ?? address}`,
    't=0 0',
    ...(changes.mediaBefore ?? []),
    `m=audio ${port} ${protocol} ${formats.join(' ')}`,
    ...(sessionAddress === undefined ? [] : [`c=IN IP4 ${address}`]),
    ...(before?.lines ?? []),
    ...laws.map((law) => `a=rtpmap:${typeOf(law)} ${law}/8000`),
    ...(eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/8000`, `a=fmtp:${eventType} 0-15`]),
    ...(ptime === null ? [] : [`a=ptime:${ptime}`]),
    ...(direction === null ? [] : [`a=${direction}`]),
    ...(changes.lines ?? []),
    ...(changes.mediaAfter ?? []),
  ];
  return `${lines.join('\r\n')}\r\n`;
}
