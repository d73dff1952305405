/**
 * G.722 at 64 kbit/s for a phone, step by step as ITU-T G.722 describes it and independently of the service's codec, so that tests detect
 * an error in it. One byte for two samples of 16 kHz.
 */

export const G722_PAYLOAD_TYPE = 9;
export const WIDEBAND_RATE = 16_000;

/** The quadrature mirror filters have 24 symmetric taps. */
const halfTaps = [3, -11, -11, 53, 12, -156, 32, 362, -210, -805, 951, 3876];
const taps = [...halfTaps, ...halfTaps.toReversed()];
/** Decision levels of the lower sub-band, and the values that its codes stand for, by level. */
// prettier-ignore
const decisions = [
  35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219, 1339, 1458, 1612,
  1765, 1980, 2195, 2557, 2919,
];
// prettier-ignore
const values = [
  136, 432, 728, 1040, 1360, 1688, 2032, 2400, 2776, 3168, 3576, 4008, 4464, 4944, 5456, 6000, 6576, 7192, 7856, 8576, 9360,
  10232, 11192, 12280, 13512, 14984, 16704, 19008, 21904, 24808,
];
/** Of the codes without their two lowest bits, from which the predictor adapts. */
const coarseValues = [0, 1200, 2584, 4240, 6288, 8968, 12896, 20456];
const coarseWeights = [-60, -30, 58, 172, 334, 538, 1198, 3042];
const higherValues = [1616, 7408];
const higherWeights = [-214, 798];
// prettier-ignore
const inverseLog = [
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960, 3025, 3091, 3158,
  3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
];

const between = (low: number, value: number, high: number) => Math.max(low, Math.min(high, value));
const word = (value: number) => between(-32_768, value, 32_767);
const sign = (value: number) => (value < 0 ? -1 : 1);
/** A product with a fraction of 15 bits, rounded down. */
const part = (value: number, fraction: number) => Math.floor((value * fraction) / 32_768);

/** The adaptive predictor of a sub-band, from the last two reconstructed values and the last six differences. */
class Predictor {
  estimate = 0;
  step: number;
  #logStep = 0;
  #fromDifferences = 0;
  #a: number[] = [0, 0];
  #b: number[] = [0, 0, 0, 0, 0, 0];
  #differences: number[] = [0, 0, 0, 0, 0, 0];
  #partial: number[] = [1, 1];
  #reconstructed: number[] = [0, 0];
  readonly #exponent: number;
  readonly #maxLogStep: number;

  constructor(step: number, exponent: number, maxLogStep: number) {
    this.step = step;
    this.#exponent = exponent;
    this.#maxLogStep = maxLogStep;
  }

  adapt(value: number, weight: number): void {
    const difference = part(this.step, value);
    this.#logStep = between(0, Math.floor((this.#logStep * 127) / 128) + weight, this.#maxLogStep);
    const scale = 2 ** (Math.floor(this.#logStep / 2048) - this.#exponent);
    this.step = 4 * Math.floor((inverseLog[Math.floor(this.#logStep / 64) % 32] as number) * scale);

    const partial = word(this.#fromDifferences + difference);
    const reconstructed = word(this.estimate + difference);
    const [a1, a2] = this.#a as [number, number];
    const same = this.#partial.map((earlier) => sign(partial) * sign(earlier)) as [number, number];
    const turned = Math.min(32_767, -same[0] * word(4 * a1));
    const next2 = between(-12_288, 128 * same[1] + Math.floor(turned / 128) + part(a2, 32_512), 12_288);
    const next1 = between(next2 - 15_360, word(192 * same[0] + part(a1, 32_640)), 15_360 - next2);
    this.#a = [next1, next2];
    this.#b = this.#b.map((b, at) => {
      const towards = difference === 0 ? 0 : 128 * sign(difference) * sign(this.#differences[at] as number);
      return word(towards + part(b, 32_640));
    });
    this.#differences = [difference, ...this.#differences.slice(0, 5)];
    this.#partial = [partial, this.#partial[0] as number];
    this.#reconstructed = [reconstructed, this.#reconstructed[0] as number];

    const sum = (weights: number[], of: number[]) =>
      weights.reduce((total, weight, at) => total + part(word(2 * (of[at] as number)), weight), 0);
    this.#fromDifferences = word(sum(this.#b, this.#differences));
    this.estimate = word(word(sum(this.#a, this.#reconstructed)) + this.#fromDifferences);
  }
}

class SubBands {
  readonly lower = new Predictor(32, 8, 18_432);
  readonly higher = new Predictor(8, 10, 22_528);

  /** @param code 1 to 15, of which 8 and above are positive; 0 and 15 stand for zero */
  adaptLower(code: number): void {
    const level = code === 0 ? 0 : code < 8 ? 8 - code : 15 - code;
    this.lower.adapt((code < 8 ? -1 : 1) * (coarseValues[level] as number), coarseWeights[level] as number);
  }

  adaptHigher(code: number): void {
    const large = code % 2 === 0 ? 1 : 0;
    this.higher.adapt(higherOf(code), higherWeights[large] as number);
  }
}

const higherOf = (code: number) => (code < 2 ? -1 : 1) * (higherValues[code % 2 === 0 ? 1 : 0] as number);
/** The smallest negative levels have the codes 63 and 62; 31 and below follow. Positive ones run from 61 down to 32. */
const lowerCode = (level: number, negative: boolean) =>
  negative ? (level < 2 ? 63 - level : 33 - level) : 61 - level;
function lowerOf(code: number): number {
  if (code >= 62) return -(values[63 - code] as number);
  if (code >= 32) return values[61 - code] as number;
  // Codes 0 to 3 are not sent; they stand for the smallest negative value.
  return code < 4 ? -(values[0] as number) : -(values[33 - code] as number);
}

export class G722Encoder {
  readonly #bands = new SubBands();
  #history = Array.from({ length: 24 }, () => 0);

  encode(samples: Int16Array): Uint8Array {
    return Uint8Array.from({ length: samples.length / 2 }, (_, at) => {
      this.#history = [...this.#history.slice(2), samples[2 * at] as number, samples[2 * at + 1] as number];
      let [even, odd] = [0, 0];
      for (let tap = 0; tap < 24; tap += 2) {
        even += (this.#history[tap] as number) * (taps[tap] as number);
        odd += (this.#history[tap + 1] as number) * (taps[tap + 1] as number);
      }
      const low = this.#lower(Math.floor((odd + even) / 16_384));
      return 64 * this.#higher(Math.floor((odd - even) / 16_384)) + low;
    });
  }

  #lower(sample: number): number {
    const { estimate, step } = this.#bands.lower;
    const error = word(sample - estimate);
    const size = error >= 0 ? error : -(error + 1);
    const above = decisions.findIndex((decision) => size < Math.floor((decision * step) / 4096));
    const code = lowerCode(above < 0 ? decisions.length : above, error < 0);
    this.#bands.adaptLower(code >> 2);
    return code;
  }

  #higher(sample: number): number {
    const { estimate, step } = this.#bands.higher;
    const error = word(sample - estimate);
    const size = error >= 0 ? error : -(error + 1);
    const code = (error < 0 ? 0 : 2) + (size < Math.floor((564 * step) / 4096) ? 1 : 0);
    this.#bands.adaptHigher(code);
    return code;
  }
}

export class G722Decoder {
  readonly #bands = new SubBands();
  #history = Array.from({ length: 24 }, () => 0);

  decode(payload: Uint8Array): Int16Array {
    const samples = new Int16Array(2 * payload.length);
    payload.forEach((byte, at) => {
      const { lower, higher } = this.#bands;
      const low = between(-16_384, lower.estimate + part(lower.step, lowerOf(byte & 63)), 16_383);
      const high = between(-16_384, higher.estimate + part(higher.step, higherOf(byte >> 6)), 16_383);
      this.#bands.adaptLower((byte & 63) >> 2);
      this.#bands.adaptHigher(byte >> 6);
      this.#history = [...this.#history.slice(2), low + high, low - high];
      let [even, odd] = [0, 0];
      for (let tap = 0; tap < 24; tap += 2) {
        even += (this.#history[tap] as number) * (taps[tap] as number);
        odd += (this.#history[tap + 1] as number) * (taps[tap + 1] as number);
      }
      samples[2 * at] = word(Math.floor(odd / 2048));
      samples[2 * at + 1] = word(Math.floor(even / 2048));
    });
    return samples;
  }
}
