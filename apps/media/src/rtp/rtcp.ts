/**
 * The RTCP that a G.711 call needs: a sender report with our CNAME (RFC 3550 §6.4.1, §6.5), BYE, and the loss reported
 * by the remote party. Pure.
 */

/** RFC 3550 §6.2: the minimum interval. */
export const RTCP_INTERVAL_MS = 5_000;

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
const CNAME = 1;
/** A longer round trip is an error in the report. */
const MAX_ROUND_TRIP_MS = 10_000;
/** Seconds from 1900 to 1970. */
const NTP_UNIX_OFFSET_S = 2_208_988_800;

export interface SenderReport {
  ssrc: number;
  /** The RTP timestamp at `unixMs`. */
  timestamp: number;
  unixMs: number;
  packets: number;
  bytes: number;
  cname: string;
  report: { ssrc: number; lost: number; highestSequence: number; jitter: number } | null;
}

/** A compound packet: SR (with one report block if anything was received) and SDES. */
export function buildSenderReport(input: SenderReport): Buffer {
  const reportCount = input.report ? 1 : 0;
  const sr = Buffer.alloc(28 + reportCount * 24);
  sr.writeUInt8(0x80 | reportCount, 0);
  sr.writeUInt8(SENDER_REPORT, 1);
  sr.writeUInt16BE(sr.length / 4 - 1, 2);
  sr.writeUInt32BE(input.ssrc, 4);
  sr.writeUInt32BE((Math.floor(input.unixMs / 1_000) + NTP_UNIX_OFFSET_S) >>> 0, 8);
  sr.writeUInt32BE(Math.floor(((input.unixMs % 1_000) / 1_000) * 2 ** 32) >>> 0, 12);
  sr.writeUInt32BE(input.timestamp, 16);
  sr.writeUInt32BE(input.packets >>> 0, 20);
  sr.writeUInt32BE(input.bytes >>> 0, 24);
  if (input.report) {
    sr.writeUInt32BE(input.report.ssrc, 28);
    sr.writeUInt32BE(Math.min(input.report.lost, 0x7fffff), 32);
    sr.writeUInt32BE(input.report.highestSequence, 36);
    sr.writeUInt32BE(Math.floor(input.report.jitter) >>> 0, 40);
  }
  const cname = Buffer.from(input.cname, 'utf8');
  const textEnd = 8 + 2 + cname.length;
  const sdes = Buffer.alloc(Math.ceil((textEnd + 1) / 4) * 4);
  sdes.writeUInt8(0x81, 0);
  sdes.writeUInt8(SOURCE_DESCRIPTION, 1);
  sdes.writeUInt16BE(sdes.length / 4 - 1, 2);
  sdes.writeUInt32BE(input.ssrc, 4);
  sdes.writeUInt8(CNAME, 8);
  sdes.writeUInt8(cname.length, 9);
  cname.copy(sdes, 10);
  return Buffer.concat([sr, sdes]);
}

export function buildGoodbye(ssrc: number): Buffer {
  const packet = Buffer.alloc(8);
  packet.writeUInt8(0x81, 0);
  packet.writeUInt8(GOODBYE, 1);
  packet.writeUInt16BE(1, 2);
  packet.writeUInt32BE(ssrc, 4);
  return packet;
}

export interface RemoteReport {
  /** 0 to 1, since the previous report. */
  fractionLost: number;
  /** Null until the remote party has received a report from us. */
  roundTripMs: number | null;
}

/** The remote party's report on the stream `ssrc` (RFC 3550 §6.4.1). Null if the datagram contains none. */
export function remoteReport(datagram: Buffer, ssrc: number, unixMs: number): RemoteReport | null {
  let offset = 0;
  while (offset + 8 <= datagram.length) {
    const count = datagram.readUInt8(offset) & 0x1f;
    const type = datagram.readUInt8(offset + 1);
    const end = offset + (datagram.readUInt16BE(offset + 2) + 1) * 4;
    if (type === SENDER_REPORT || type === RECEIVER_REPORT) {
      const first = offset + (type === SENDER_REPORT ? 28 : 8);
      for (let block = 0; block < count; block += 1) {
        const at = first + block * 24;
        if (at + 24 > Math.min(end, datagram.length)) break;
        if (datagram.readUInt32BE(at) !== ssrc) continue;
        const lastReport = datagram.readUInt32BE(at + 16);
        const delay = datagram.readUInt32BE(at + 20);
        return {
          fractionLost: datagram.readUInt8(at + 4) / 256,
          roundTripMs: lastReport === 0 ? null : roundTrip(lastReport, delay, unixMs),
        };
      }
    }
    offset = end;
  }
  return null;
}

/**
 * The middle 32 bits of NTP time are in units of 1/65536 s and wrap every 18 hours. Returns null for an implausible
 * result.
 */
function roundTrip(lastReport: number, delay: number, unixMs: number): number | null {
  const now =
    ((Math.floor(unixMs / 1_000) + NTP_UNIX_OFFSET_S) & 0xffff) * 65_536 + (unixMs % 1_000) * 65.536;
  const ticks = (now - lastReport - delay) | 0;
  const ms = Math.round(ticks / 65.536);
  return ms >= 0 && ms <= MAX_ROUND_TRIP_MS ? ms : null;
}
