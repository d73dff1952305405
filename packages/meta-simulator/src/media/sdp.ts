/** Session descriptions: those that Meta sends, and what the simulator reads of those that a business sends. Pure. */

export interface Codec {
  readonly payloadType: number;
  /** As in `a=rtpmap`: `opus/48000/2`. */
  readonly name: string;
}

export interface ParsedSdp {
  readonly audioSections: number;
  /** Media sections that are not audio and not disabled by port 0. */
  readonly otherMedia: readonly string[];
  readonly mid: string | null;
  readonly ufrag: string | null;
  readonly password: string | null;
  readonly iceLite: boolean;
  readonly setup: string | null;
  readonly fingerprints: readonly { readonly algorithm: string; readonly value: string }[];
  readonly rtcpMux: boolean;
  readonly codecs: readonly Codec[];
}

export const OPUS = 'opus/48000/2';
export const TELEPHONE_EVENT = 'telephone-event/8000';
/** The payload types of Meta's own offers. */
export const OPUS_PAYLOAD_TYPE = 111;
export const TELEPHONE_EVENT_PAYLOAD_TYPE = 126;

/** Null for text that is not a session description. */
export function parseSdp(sdp: string): ParsedSdp | null {
  const lines = sdp.split(/\r?\n/).map((line) => line.trim());
  if (lines[0] !== 'v=0') return null;
  const starts = lines.flatMap((line, i) => (line.startsWith('m=') ? [i] : []));
  const sections = starts.map((start, i) => lines.slice(start, starts[i + 1] ?? lines.length));
  const session = lines.slice(0, starts[0] ?? lines.length);
  const audio = sections.filter(([first = '']) => first.startsWith('m=audio '));
  const relevant = [...session, ...(audio[0] ?? [])];
  const attribute = (name: string): string | null =>
    relevant.findLast((line) => line.startsWith(`a=${name}:`))?.slice(name.length + 3) ?? null;
  const offered = (audio[0]?.[0] ?? '').split(' ').slice(3).map(Number);
  return {
    audioSections: audio.length,
    otherMedia: sections
      .map(([first = '']) => first)
      .filter((line) => !line.startsWith('m=audio ') && line.split(' ')[1] !== '0')
      .map((line) => line.slice(2).split(' ')[0] ?? ''),
    mid: attribute('mid'),
    ufrag: attribute('ice-ufrag'),
    password: attribute('ice-pwd'),
    iceLite: relevant.includes('a=ice-lite'),
    setup: attribute('setup'),
    fingerprints: relevant.flatMap((line) => {
      const [, algorithm, value] = /^a=fingerprint:(\S+) (\S+)$/.exec(line) ?? [];
      return algorithm && value ? [{ algorithm: algorithm.toLowerCase(), value }] : [];
    }),
    rtcpMux: relevant.includes('a=rtcp-mux'),
    codecs: relevant
      .flatMap((line) => {
        const [, payloadType, name] = /^a=rtpmap:(\d+) (\S+)$/.exec(line) ?? [];
        return payloadType && name ? [{ payloadType: Number(payloadType), name }] : [];
      })
      .filter(({ payloadType }) => offered.includes(payloadType)),
  };
}

export const payloadTypeOf = (sdp: ParsedSdp, codec: string): number | undefined =>
  sdp.codecs.find(({ name }) => name.toLowerCase() === codec)?.payloadType;

/** Differences in white space and line ends do not make another description. */
export const sameSdp = (a: string, b: string): boolean => normalised(a) === normalised(b);
const normalised = (sdp: string): string =>
  sdp
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');

export interface PeerSdp {
  readonly address: string;
  readonly port: number;
  readonly ufrag: string;
  readonly password: string;
  /** SHA-256, in hexadecimal with colons. */
  readonly fingerprint: string;
  readonly setup: string;
  readonly mid: string;
  readonly codecs: readonly Codec[];
  readonly ssrc: number | null;
}

/** An ICE-lite description in the order in which Meta writes it. */
export function writeSdp(peer: PeerSdp): string {
  const family = peer.address.includes(':') ? 'IP6' : 'IP4';
  const types = peer.codecs.map(({ payloadType }) => payloadType);
  const opus = peer.codecs.find(({ name }) => name.toLowerCase() === OPUS)?.payloadType;
  return [
    'v=0',
    `o=- ${Date.now()} 2 IN IP4 127.0.0.1`,
    's=-',
    't=0 0',
    `a=group:BUNDLE ${peer.mid}`,
    'a=msid-semantic: WMS whatsapp',
    'a=ice-lite',
    `m=audio ${peer.port} UDP/TLS/RTP/SAVPF ${types.join(' ')}`,
    `c=IN ${family} ${peer.address}`,
    'a=rtcp:9 IN IP4 0.0.0.0',
    `a=candidate:1 1 udp 2122260223 ${peer.address} ${peer.port} typ host generation 0`,
    `a=ice-ufrag:${peer.ufrag}`,
    `a=ice-pwd:${peer.password}`,
    `a=fingerprint:sha-256 ${peer.fingerprint}`,
    `a=setup:${peer.setup}`,
    `a=mid:${peer.mid}`,
    'a=sendrecv',
    'a=rtcp-mux',
    ...peer.codecs.map(({ payloadType, name }) => `a=rtpmap:${payloadType} ${name}`),
    ...(opus === undefined
      ? []
      : [
          `a=rtcp-fb:${opus} transport-cc`,
          `a=fmtp:${opus} maxaveragebitrate=20000;maxplaybackrate=16000;minptime=20;sprop-maxcapturerate=16000;useinbandfec=1`,
        ]),
    ...(peer.ssrc === null ? [] : [`a=ssrc:${peer.ssrc} cname:whatsapp`]),
    'a=ptime:20',
    'a=maxptime:20',
    'a=end-of-candidates',
    '',
  ].join('\r\n');
}
