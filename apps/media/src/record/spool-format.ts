/**
 * The spool of a recording during its call: the voice packets in order of arrival. It is only appended to, so that a
 * crash leaves a valid prefix; an incomplete record at the end is ignored. Pure.
 *
 * Format: `CLSPOOL1`, then records of a sync byte, a type, the body length (16 bits) and the body. Numbers are
 * little-endian. `at` is the arrival time in 8 kHz samples since the start of the recording, on a monotonic clock.
 *
 * - VOICE: index, channel (0 left, 1 right), leg ID
 * - PACKET: at (32), index, codec (0 µ-law, 1 A-law), sequence number (16), timestamp (32), SSRC (32), G.711
 * - CLOCK: at (32): time has passed, with or without packets
 * - END: at (32)
 */
import type { Law } from '../rtp/g711.ts';

export const SPOOL_MAGIC = Buffer.from('CLSPOOL1', 'latin1');
export const RECORD_HEADER_BYTES = 4;
export const PACKET_FIXED_BYTES = 16;
/** Of a record with its header. */
export const MAX_RECORD_BYTES = RECORD_HEADER_BYTES + 0xffff;

const SYNC = 0xc1;
export const VOICE = 1;
export const PACKET = 2;
export const CLOCK = 3;
export const END = 4;

export type Channel = 'left' | 'right';

export interface SpooledPacket {
  at: number;
  voice: number;
  law: Law;
  sequenceNumber: number;
  timestamp: number;
  ssrc: number;
  payload: Buffer;
}

const header = (target: Buffer, offset: number, type: number, length: number): number => {
  target[offset] = SYNC;
  target[offset + 1] = type;
  target.writeUInt16LE(length, offset + 2);
  return offset + RECORD_HEADER_BYTES;
};

export function voiceRecord(index: number, channel: Channel, legId: string): Buffer {
  const name = Buffer.from(legId, 'utf8');
  const record = Buffer.alloc(RECORD_HEADER_BYTES + 2 + name.length);
  const at = header(record, 0, VOICE, 2 + name.length);
  record[at] = index;
  record[at + 1] = channel === 'left' ? 0 : 1;
  name.copy(record, at + 2);
  return record;
}

export function clockRecord(type: typeof CLOCK | typeof END, at: number): Buffer {
  const record = Buffer.alloc(RECORD_HEADER_BYTES + 4);
  record.writeUInt32LE(at, header(record, 0, type, 4));
  return record;
}

export const packetBytes = (payloadBytes: number): number =>
  RECORD_HEADER_BYTES + PACKET_FIXED_BYTES + payloadBytes;

/** Writes into a buffer with room for `packetBytes`: nothing is allocated per packet. */
export function writePacket(target: Buffer, offset: number, packet: SpooledPacket): void {
  const { payload } = packet;
  const body = header(target, offset, PACKET, PACKET_FIXED_BYTES + payload.length);
  target.writeUInt32LE(packet.at, body);
  target[body + 4] = packet.voice;
  target[body + 5] = packet.law === 'PCMU' ? 0 : 1;
  target.writeUInt16LE(packet.sequenceNumber, body + 6);
  target.writeUInt32LE(packet.timestamp >>> 0, body + 8);
  target.writeUInt32LE(packet.ssrc >>> 0, body + 12);
  target.set(payload, body + PACKET_FIXED_BYTES);
}

export interface SpoolVisitor {
  voice(index: number, channel: Channel, legId: string): void;
  /** Valid only during the call. */
  packet(packet: SpooledPacket): void;
  clock(at: number, ended: boolean): void;
}

/** Reused for every packet. */
const read: SpooledPacket = {
  at: 0,
  voice: 0,
  law: 'PCMU',
  sequenceNumber: 0,
  timestamp: 0,
  ssrc: 0,
  payload: Buffer.alloc(0),
};

/**
 * Passes the complete records of `bytes` from `offset` on to the visitor.
 *
 * @returns where it stopped: at an incomplete record, or (`damaged`) at invalid data
 */
export function readRecords(
  bytes: Buffer,
  offset: number,
  visitor: SpoolVisitor,
): { offset: number; damaged: boolean } {
  let at = offset;
  while (at + RECORD_HEADER_BYTES <= bytes.length) {
    if (bytes[at] !== SYNC) return { offset: at, damaged: true };
    const length = bytes.readUInt16LE(at + 2);
    const body = at + RECORD_HEADER_BYTES;
    if (body + length > bytes.length) break;
    if (!visit(bytes, bytes[at + 1] ?? 0, body, length, visitor)) return { offset: at, damaged: true };
    at = body + length;
  }
  return { offset: at, damaged: false };
}

function visit(bytes: Buffer, type: number, body: number, length: number, visitor: SpoolVisitor): boolean {
  switch (type) {
    case PACKET:
      if (length < PACKET_FIXED_BYTES) return false;
      read.at = bytes.readUInt32LE(body);
      read.voice = bytes[body + 4] ?? 0;
      read.law = bytes[body + 5] === 0 ? 'PCMU' : 'PCMA';
      read.sequenceNumber = bytes.readUInt16LE(body + 6);
      read.timestamp = bytes.readUInt32LE(body + 8);
      read.ssrc = bytes.readUInt32LE(body + 12);
      read.payload = bytes.subarray(body + PACKET_FIXED_BYTES, body + length);
      visitor.packet(read);
      return true;
    case VOICE:
      if (length < 2) return false;
      visitor.voice(
        bytes[body] ?? 0,
        bytes[body + 1] === 0 ? 'left' : 'right',
        bytes.toString('utf8', body + 2, body + length),
      );
      return true;
    case CLOCK:
    case END:
      if (length !== 4) return false;
      visitor.clock(bytes.readUInt32LE(body), type === END);
      return true;
    default:
      return false;
  }
}
