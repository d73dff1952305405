/** Telephone events (RFC 4733): packets of a digit, and digits from packets. Pure. */
import { FRAME_MS, SAMPLE_RATE } from './g711.ts';
import { timestampDistance } from './packet.ts';

const DIGITS = '0123456789*#ABCD';
export const isDtmfDigits = (text: string): boolean => /^[0-9*#A-Da-d,]+$/.test(text);

/** Duration of a digit and the pause after it. Multiples of a frame. */
export const DIGIT_MS = 100;
export const DIGIT_GAP_MS = 60;
/** The pause for a comma in a dial string. */
export const DIGIT_PAUSE_MS = 500;
/** RFC 4733 §2.5.1.4: the end packet is sent three times. */
const END_REPEATS = 3;
/** −10 dBm0. */
const VOLUME = 10;
const FRAME = (FRAME_MS * SAMPLE_RATE) / 1_000;

/** One packet of an event. All packets of an event have the same timestamp. */
export interface DtmfPacket {
  marker: boolean;
  payload: Buffer;
}

function eventPayload(event: number, end: boolean, duration: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt8(event, 0);
  payload.writeUInt8((end ? 0x80 : 0) | VOLUME, 1);
  payload.writeUInt16BE(duration, 2);
  return payload;
}

/**
 * The packets of one digit, to be sent one per frame with the timestamp of the first. Null for an invalid character.
 */
export function digitPackets(digit: string): DtmfPacket[] | null {
  const event = DIGITS.indexOf(digit.toUpperCase());
  if (event < 0 || digit.length !== 1) return null;
  const frames = DIGIT_MS / FRAME_MS;
  const packets: DtmfPacket[] = [];
  for (let frame = 1; frame <= frames; frame += 1) {
    packets.push({ marker: frame === 1, payload: eventPayload(event, false, frame * FRAME) });
  }
  for (let repeat = 0; repeat < END_REPEATS; repeat += 1) {
    packets.push({ marker: false, payload: eventPayload(event, true, frames * FRAME) });
  }
  return packets;
}

/** A packet that is up to one second older than the latest event is a late packet of an earlier event. */
const LATE_SAMPLES = SAMPLE_RATE;

/**
 * Reads digits from telephone-event packets. Each event is reported once, at its first packet, even if packets are
 * lost, repeated or late. One reader serves a leg across hand-overs, so that a digit in progress is not reported twice.
 */
export class DtmfReader {
  #lastTimestamp: number | null = null;

  /** The digit, or null if the packet belongs to a known event. */
  read(timestamp: number, payload: Buffer): string | null {
    if (payload.length < 4) return null;
    const digit = DIGITS[payload.readUInt8(0)];
    if (digit === undefined) return null;
    if (this.#lastTimestamp !== null) {
      const step = timestampDistance(timestamp, this.#lastTimestamp);
      if (step <= 0 && step > -LATE_SAMPLES) return null;
    }
    this.#lastTimestamp = timestamp;
    return digit;
  }
}
