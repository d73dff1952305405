/**
 * Converts between G.722 on a carrier leg and the G.711 of everything behind it, as OpusInput and OpusOutput do on a
 * WhatsApp leg. A packet keeps its numbers and length: G.722 too has one byte per tick of an 8 kHz clock (RFC 3551
 * §4.5.2).
 */
import { decodeTable, encodeInto, type Law } from '../rtp/g711.ts';
import { G722Decoder, G722Encoder } from '../rtp/g722.ts';
import { RateDoubler, RateHalver } from '../rtp/half-band.ts';

/** The law behind the leg. */
export const G722_LAW: Law = 'PCMU';
/** Longer than any packet that the mixer accepts: 200 ms. */
const MAX_SAMPLES = 1_600;

export class G722Input {
  readonly #narrow = new Int16Array(MAX_SAMPLES);
  readonly #wide = new Int16Array(2 * MAX_SAMPLES);
  readonly #payload = Buffer.alloc(MAX_SAMPLES);
  #decoder = new G722Decoder();
  #halver = new RateHalver();
  #ssrc: number | null = null;

  /** @returns the audio as `G722_LAW`, valid until the next call */
  decode(payload: Buffer, ssrc: number): Buffer {
    // The encoder of another stream started from zero.
    if (ssrc !== this.#ssrc) {
      this.#decoder = new G722Decoder();
      this.#halver = new RateHalver();
      this.#ssrc = ssrc;
    }
    const length = Math.min(payload.length, MAX_SAMPLES);
    const wide = this.#wide.subarray(0, 2 * length);
    const narrow = this.#narrow.subarray(0, length);
    this.#decoder.decodeInto(payload.subarray(0, length), wide);
    this.#halver.halveInto(wide, narrow);
    encodeInto(G722_LAW, narrow, this.#payload, 0);
    return this.#payload.subarray(0, length);
  }
}

export class G722Output {
  readonly #narrow = new Int16Array(MAX_SAMPLES);
  readonly #wide = new Int16Array(2 * MAX_SAMPLES);
  readonly #payload = Buffer.alloc(MAX_SAMPLES);
  readonly #encoder = new G722Encoder();
  readonly #doubler = new RateDoubler();

  /** @returns the audio as G.722, valid until the next call */
  encode(payload: Buffer, law: Law): Buffer {
    const length = Math.min(payload.length, MAX_SAMPLES);
    const wide = this.#wide.subarray(0, 2 * length);
    const narrow = this.#narrow.subarray(0, length);
    const table = decodeTable[law];
    for (let index = 0; index < length; index += 1) narrow[index] = table[payload[index] ?? 0] ?? 0;
    this.#doubler.doubleInto(narrow, wide);
    this.#encoder.encodeInto(wide, this.#payload);
    return this.#payload.subarray(0, length);
  }
}
