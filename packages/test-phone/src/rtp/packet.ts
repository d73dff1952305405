/** Builds and parses RTP packets (RFC 3550, section 5.1). */

export interface RtpPacket {
  payloadType: number;
  marker: boolean;
  sequence: number;
  timestamp: number;
  ssrc: number;
  payload: Uint8Array;
}

const FIXED_HEADER_BYTES = 12;
const VERSION = 2;

export function buildRtp({ payloadType, marker, sequence, timestamp, ssrc, payload }: RtpPacket): Buffer {
  const packet = Buffer.allocUnsafe(FIXED_HEADER_BYTES + payload.length);
  packet[0] = VERSION << 6;
  packet[1] = (marker ? 0x80 : 0) | payloadType;
  packet.writeUInt16BE(sequence, 2);
  packet.writeUInt32BE(timestamp, 4);
  packet.writeUInt32BE(ssrc, 8);
  packet.set(payload, FIXED_HEADER_BYTES);
  return packet;
}

/** Null if it is not RTP: too short, another version, or RTCP on the same port (RFC 5761, section 4). */
export function parseRtp(packet: Buffer): RtpPacket | null {
  const [first = 0, second = 0] = packet;
  if (packet.length < FIXED_HEADER_BYTES || first >> 6 !== VERSION) return null;
  if (second >= 192 && second <= 223) return null; // RTCP packet types
  let at = FIXED_HEADER_BYTES + 4 * (first & 0x0f);
  if (first & 0x10) {
    if (packet.length < at + 4) return null;
    at += 4 + 4 * packet.readUInt16BE(at + 2);
  }
  const padding = first & 0x20 ? (packet.at(-1) ?? 0) : 0;
  if (at + padding > packet.length) return null;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc: packet.readUInt32BE(8),
    payload: packet.subarray(at, packet.length - padding),
  };
}
