/** RTP packets (RFC 3550 §5.1). Pure. */

export interface RtpPacket {
  payloadType: number;
  marker: boolean;
  /** 16 bits. */
  sequenceNumber: number;
  /** 32 bits, in samples. */
  timestamp: number;
  ssrc: number;
  payload: Buffer;
}

const FIXED_HEADER_BYTES = 12;
const RTP_VERSION = 2;
/** RFC 5761 §4: these values in the payload type field are RTCP. */
const RTCP_TYPE_FIRST = 64;
const RTCP_TYPE_LAST = 95;

/** Parses one datagram; null if it is not an RTP packet. The payload is a view into `datagram`. */
export function parseRtp(datagram: Buffer): RtpPacket | null {
  if (datagram.length < FIXED_HEADER_BYTES) return null;
  const first = datagram.readUInt8(0);
  const second = datagram.readUInt8(1);
  if (first >> 6 !== RTP_VERSION) return null;
  const payloadType = second & 0x7f;
  if (payloadType >= RTCP_TYPE_FIRST && payloadType <= RTCP_TYPE_LAST) return null;

  let offset = FIXED_HEADER_BYTES + (first & 0x0f) * 4;
  if (first & 0x10) {
    if (datagram.length < offset + 4) return null;
    offset += 4 + datagram.readUInt16BE(offset + 2) * 4;
  }
  let end = datagram.length;
  if (first & 0x20) {
    const padding = datagram.readUInt8(datagram.length - 1);
    if (padding === 0) return null;
    end -= padding;
  }
  if (end < offset) return null;
  return {
    payloadType,
    marker: (second & 0x80) !== 0,
    sequenceNumber: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc: datagram.readUInt32BE(8),
    payload: datagram.subarray(offset, end),
  };
}

/** Builds a packet without CSRCs, extension or padding. */
export function buildRtp(packet: RtpPacket): Buffer {
  const datagram = Buffer.allocUnsafe(FIXED_HEADER_BYTES + packet.payload.length);
  datagram.writeUInt8(RTP_VERSION << 6, 0);
  datagram.writeUInt8((packet.marker ? 0x80 : 0) | packet.payloadType, 1);
  datagram.writeUInt16BE(packet.sequenceNumber, 2);
  datagram.writeUInt32BE(packet.timestamp, 4);
  datagram.writeUInt32BE(packet.ssrc, 8);
  packet.payload.copy(datagram, FIXED_HEADER_BYTES);
  return datagram;
}

/** `later - earlier` modulo 2^16, -32768 to 32767. */
export function sequenceDistance(later: number, earlier: number): number {
  return ((later - earlier) << 16) >> 16;
}

/** `later - earlier` modulo 2^32, as a signed number. */
export function timestampDistance(later: number, earlier: number): number {
  return (later - earlier) | 0;
}
