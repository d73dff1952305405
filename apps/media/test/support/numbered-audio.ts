/** Audio whose packets are numbered in the payload, so that the receiver can detect missing ones. */
import type { RtpStream } from '@clarion/test-phone/rtp/port';

const FRAME_BYTES = 160;
/** Identifies a numbered payload. */
const MAGIC = 0x5ca1ab1e;

/** Sends numbered payloads from 0 on, every 20 ms. */
export function sendCounted(stream: RtpStream): { sent: () => number } {
  let next = 0;
  stream.sendFrom(() => {
    const payload = Buffer.alloc(FRAME_BYTES, 0xd5);
    payload.writeUInt32BE(MAGIC, 0);
    payload.writeUInt32BE(next, 4);
    next += 1;
    return payload;
  });
  return { sent: () => next };
}

/** The number in a payload; null if it has none. */
export function countOf(payload: Uint8Array): number | null {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return bytes.length === FRAME_BYTES && bytes.readUInt32BE(0) === MAGIC ? bytes.readUInt32BE(4) : null;
}

export interface Arrival {
  received: number;
  lost: number;
  repeated: number;
  outOfOrder: number;
  /** The longest run of lost packets. */
  longestGap: number;
}

/** What arrived between the first and the last number. */
export function arrivalOf(counts: readonly number[]): Arrival {
  const arrival: Arrival = { received: counts.length, lost: 0, repeated: 0, outOfOrder: 0, longestGap: 0 };
  const seen = new Set<number>();
  let highest = (counts[0] ?? 0) - 1;
  for (const count of counts) {
    if (seen.has(count)) arrival.repeated += 1;
    else if (count < highest) arrival.outOfOrder += 1;
    seen.add(count);
    highest = Math.max(highest, count);
  }
  const [first = 0] = counts;
  let gap = 0;
  for (let count = first; count <= highest; count += 1) {
    gap = seen.has(count) ? 0 : gap + 1;
    if (gap > 0) arrival.lost += 1;
    arrival.longestGap = Math.max(arrival.longestGap, gap);
  }
  return arrival;
}
