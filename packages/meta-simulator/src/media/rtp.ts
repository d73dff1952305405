/** RTP headers (RFC 3550) and telephone events (RFC 4733). Pure. */

const HEADER_BYTES = 12;
const VERSION = 2;
const FIRST_RTCP_TYPE = 192;
const LAST_RTCP_TYPE = 223;

export interface RtpPacket {
  readonly payloadType: number;
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
  readonly payload: Buffer;
}

export const isRtcp = (packet: Buffer): boolean =>
  packet.length >= 8 && (packet[1] ?? 0) >= FIRST_RTCP_TYPE && (packet[1] ?? 0) <= LAST_RTCP_TYPE;

/** Null for anything but an RTP packet. */
export function parseRtp(packet: Buffer): RtpPacket | null {
  const [first = 0, second = 0] = packet;
  if (packet.length < HEADER_BYTES || first >> 6 !== VERSION || isRtcp(packet)) return null;
  let start = HEADER_BYTES + (first & 0x0f) * 4;
  if (first & 0x10) {
    if (packet.length < start + 4) return null;
    start += 4 + packet.readUInt16BE(start + 2) * 4;
  }
  const padding = first & 0x20 ? (packet.at(-1) ?? 0) : 0;
  if (start + padding > packet.length) return null;
  return {
    payloadType: second & 0x7f,
    marker: second >> 7 === 1,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc: packet.readUInt32BE(8),
    payload: packet.subarray(start, packet.length - padding),
  };
}

export function writeRtp({ payloadType, marker, sequence, timestamp, ssrc, payload }: RtpPacket): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = VERSION << 6;
  header[1] = (marker ? 0x80 : 0) | payloadType;
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE(timestamp >>> 0, 4);
  header.writeUInt32BE(ssrc, 8);
  return Buffer.concat([header, payload]);
}

const KEYS = '0123456789*#ABCD';
const EVENT_VOLUME = 10; // -10 dBm0
const END_OF_EVENT = 0x80;
/** The last packet of an event is sent three times, so that its end survives loss. */
const END_PACKETS = 3;
export const EVENT_PACKET_MS = 20;
const EVENT_PACKETS = 8; // 160 ms: longer than the 100 ms that gateways need
const PAUSE_PACKETS = 4;
const EVENT_TICKS = 160; // 20 ms at 8 kHz

/** The payloads of one digit, one per 20 ms; null is a pause. Null for an unknown key. */
export function eventPayloads(digit: string): (Buffer | null)[] | null {
  const code = KEYS.indexOf(digit.toUpperCase());
  if (code < 0 || digit.length !== 1) return null;
  const payload = (packets: number, end: boolean): Buffer => {
    const bytes = Buffer.from([code, EVENT_VOLUME | (end ? END_OF_EVENT : 0), 0, 0]);
    bytes.writeUInt16BE(packets * EVENT_TICKS, 2);
    return bytes;
  };
  return [
    ...Array.from({ length: EVENT_PACKETS }, (_, i) => payload(i + 1, false)),
    ...Array.from({ length: END_PACKETS }, () => payload(EVENT_PACKETS, true)),
    ...Array.from({ length: PAUSE_PACKETS }, () => null),
  ];
}

/** The key of a telephone event's payload; null for an event that is not a key. */
export const keyOf = (payload: Buffer): string | null => KEYS[payload[0] ?? KEYS.length] ?? null;
