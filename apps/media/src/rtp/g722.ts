/**
 * ITU-T G.722 at 64 kbit/s: 16 kHz audio in two sub-bands of 8 kHz, each coded by ADPCM, one byte per two samples. The
 * names are those of the recommendation's block diagrams. Pure.
 */

/** Samples per second. The clock of its RTP timestamps is 8 kHz all the same (RFC 3551 §4.5.2). */
export const G722_SAMPLE_RATE = 16_000;
/** RFC 3551 table 4. */
export const G722_PAYLOAD_TYPE = 9;

// prettier-ignore
const Q6 = [
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219, 1339, 1458,
  1612, 1765, 1980, 2195, 2557, 2919,
];
// prettier-ignore
const ILN = [
  0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
];
// prettier-ignore
const ILP = [
  0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33,
  32,
];
const WL = Int32Array.of(-60, -30, 58, 172, 334, 538, 1198, 3042);
const RL42 = Int32Array.of(0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0);
// prettier-ignore
const ILB = Int32Array.of(
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960, 3025, 3091,
  3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
);
// prettier-ignore
const QM4 = Int32Array.of(
  0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0,
);
const QM2 = Int32Array.of(-7408, -1616, 7408, 1616);
// prettier-ignore
const QM6 = Int32Array.of(
  -136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
  -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040, -728, 24808,
  21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456, 4944, 4464, 4008, 3576,
  3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136,
);
const WH = Int32Array.of(0, -214, 798);
const RH2 = Int32Array.of(2, 1, 2, 1);
/** Half of the 24 coefficients of the quadrature mirror filters, which are symmetric. */
const QMF = Int32Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11);
const QMF_HALF = QMF.length;

const MAX = 32_767;
const MIN = -32_768;
const saturate = (value: number): number => (value > MAX ? MAX : value < MIN ? MIN : value);
const clamp = (value: number, limit: number): number =>
  value > limit ? limit : value < -limit ? -limit : value;
/** The decoded signal of a sub-band has 15 bits. */
const limit = (value: number): number => (value > 16_383 ? 16_383 : value < -16_384 ? -16_384 : value);

/** The adaptive predictor and quantizer of one sub-band; the same in the encoder and the decoder. */
class SubBand {
  s = 0;
  det: number;
  #sp = 0;
  #sz = 0;
  #nb = 0;
  readonly #r = new Int32Array(3);
  readonly #a = new Int32Array(3);
  readonly #p = new Int32Array(3);
  readonly #d = new Int32Array(7);
  readonly #b = new Int32Array(7);

  constructor(det: number) {
    this.det = det;
  }

  /** LOGSCL, SCALEL and their equivalents of the higher sub-band. */
  adaptScale(weight: number, limitNb: number, shift: number): void {
    const nb = ((this.#nb * 127) >> 7) + weight;
    this.#nb = nb < 0 ? 0 : nb > limitNb ? limitNb : nb;
    const mantissa = ILB[(this.#nb >> 6) & 31] ?? 0;
    const exponent = shift - (this.#nb >> 11);
    this.det = (exponent < 0 ? mantissa << -exponent : mantissa >> exponent) << 2;
  }

  /** BLOCK 4: updates the predictors with the quantized difference. */
  predict(difference: number): void {
    const [r, a, p, d, b] = [this.#r, this.#a, this.#p, this.#d, this.#b] as const;
    d[0] = difference;
    r[0] = saturate(this.s + difference);
    p[0] = saturate(this.#sz + difference);
    this.#updatePoles(p, a);
    // UPZERO, DELAYA
    const step = difference === 0 ? 0 : 128;
    const sign = difference >> 15;
    for (let index = 6; index >= 1; index -= 1) {
      const own = (d[index] as number) >> 15 === sign ? step : -step;
      b[index] = saturate(own + (((b[index] as number) * 32_640) >> 15));
      d[index] = d[index - 1] as number;
    }
    this.#sp = this.#filterPoles(r, a);
    // FILTEZ
    let sz = 0;
    for (let index = 6; index >= 1; index -= 1) {
      sz += ((b[index] as number) * saturate(2 * (d[index] as number))) >> 15;
    }
    this.#sz = saturate(sz);
    this.s = saturate(this.#sp + this.#sz);
  }

  /** UPPOL2 and UPPOL1, then the delay of `p`. */
  #updatePoles(p: Int32Array, a: Int32Array): void {
    const [p0, p1, p2] = [p[0] as number, p[1] as number, p[2] as number];
    const [sign0, sign1, sign2] = [p0 >> 15, p1 >> 15, p2 >> 15];
    const [a1, a2] = [a[1] as number, a[2] as number];
    const scaled = saturate(a1 * 4);
    const crossed = Math.min(sign0 === sign1 ? -scaled : scaled, MAX);
    const second = (sign0 === sign2 ? 128 : -128) + (crossed >> 7) + ((a2 * 32_512) >> 15);
    a[2] = clamp(second, 12_288);
    const first = saturate((sign0 === sign1 ? 192 : -192) + ((a1 * 32_640) >> 15));
    a[1] = clamp(first, saturate(15_360 - (a[2] as number)));
    p[2] = p1;
    p[1] = p0;
  }

  /** The delay of `r`, then FILTEP. */
  #filterPoles(r: Int32Array, a: Int32Array): number {
    r[2] = r[1] as number;
    r[1] = r[0] as number;
    const first = ((a[1] as number) * saturate(2 * (r[1] as number))) >> 15;
    const second = ((a[2] as number) * saturate(2 * (r[2] as number))) >> 15;
    return saturate(first + second);
  }
}

const LOWER_DET = 32;
const HIGHER_DET = 8;

/** What the quantizer codes of both sub-bands change in the encoder and the decoder alike. */
class Adaptation {
  readonly lower = new SubBand(LOWER_DET);
  readonly higher = new SubBand(HIGHER_DET);

  /** @param code of the lower sub-band, without its two lowest bits */
  adaptLower(code: number): void {
    const difference = (this.lower.det * (QM4[code] as number)) >> 15;
    this.lower.adaptScale(WL[RL42[code] as number] as number, 18_432, 8);
    this.lower.predict(difference);
  }

  adaptHigher(code: number, difference: number): void {
    this.higher.adaptScale(WH[RH2[code] as number] as number, 22_528, 10);
    this.higher.predict(difference);
  }
}

export class G722Encoder {
  readonly #bands = new Adaptation();
  readonly #x = new Int32Array(2 * QMF_HALF);

  /** Encodes an even number of samples into `target`. */
  encodeInto(pcm: Int16Array, target: Uint8Array): void {
    for (let from = 0; from + 1 < pcm.length; from += 2) {
      target[from >> 1] = this.#encode(pcm[from] as number, pcm[from + 1] as number);
    }
  }

  #encode(first: number, second: number): number {
    const x = this.#x;
    x.copyWithin(0, 2);
    x[2 * QMF_HALF - 2] = first;
    x[2 * QMF_HALF - 1] = second;
    let odd = 0;
    let even = 0;
    for (let index = 0; index < QMF_HALF; index += 1) {
      odd += (x[2 * index] as number) * (QMF[index] as number);
      even += (x[2 * index + 1] as number) * (QMF[QMF_HALF - 1 - index] as number);
    }
    const low = this.#encodeLower((even + odd) >> 14);
    return (this.#encodeHigher((even - odd) >> 14) << 6) | low;
  }

  #encodeLower(sample: number): number {
    const { lower } = this.#bands;
    const error = saturate(sample - lower.s);
    const size = error >= 0 ? error : -(error + 1);
    let level = 1;
    while (level < 30 && size >= ((Q6[level] as number) * lower.det) >> 12) level += 1;
    const code = (error < 0 ? ILN[level] : ILP[level]) as number;
    this.#bands.adaptLower(code >> 2);
    return code;
  }

  #encodeHigher(sample: number): number {
    const { higher } = this.#bands;
    const error = saturate(sample - higher.s);
    const size = error >= 0 ? error : -(error + 1);
    const large = size >= (564 * higher.det) >> 12;
    const code = (error < 0 ? 0 : 2) + (large ? 0 : 1);
    this.#bands.adaptHigher(code, (higher.det * (QM2[code] as number)) >> 15);
    return code;
  }
}

export class G722Decoder {
  readonly #bands = new Adaptation();
  readonly #x = new Int32Array(2 * QMF_HALF);

  /** Decodes `payload` into `target`, two samples per byte. */
  decodeInto(payload: Uint8Array, target: Int16Array): void {
    for (let at = 0; at < payload.length; at += 1) this.#decode(payload[at] as number, target, 2 * at);
  }

  #decode(byte: number, target: Int16Array, at: number): void {
    const { lower, higher } = this.#bands;
    const code = byte & 0x3f;
    const low = limit(lower.s + ((lower.det * (QM6[code] as number)) >> 15));
    this.#bands.adaptLower(code >> 2);
    const highCode = byte >> 6;
    const difference = (higher.det * (QM2[highCode] as number)) >> 15;
    const high = limit(higher.s + difference);
    this.#bands.adaptHigher(highCode, difference);
    const x = this.#x;
    x.copyWithin(0, 2);
    x[2 * QMF_HALF - 2] = low + high;
    x[2 * QMF_HALF - 1] = low - high;
    let first = 0;
    let second = 0;
    for (let index = 0; index < QMF_HALF; index += 1) {
      second += (x[2 * index] as number) * (QMF[index] as number);
      first += (x[2 * index + 1] as number) * (QMF[QMF_HALF - 1 - index] as number);
    }
    target[at] = saturate(first >> 11);
    target[at + 1] = saturate(second >> 11);
  }
}
