/**
 * Changes the sample rate of one channel: a windowed sinc whose stop band begins where the lower of the two rates can hold no
 * more, so that nothing folds back. Down to 8 kHz it passes 3.3 kHz and stops 4 kHz by 80 dB.
 */

/** Zero crossings of the sinc on each side, in samples of the lower rate. */
const ZERO_CROSSINGS = 32;
/** Kaiser's window: 80 dB of stop band. */
const KAISER_BETA = 8;
/** The middle of the slope, as a share of the lower rate: 0.5 less half of what 64 taps and that window need to fall. */
const CUTOFF = 0.46;
/** Rates without a short common measure share this many positions between two samples. */
const MAX_PHASES = 1_024;

export class Resampler {
  readonly #phases: Float32Array[];
  /** Taps on each side of the position. */
  readonly #reach: number;
  /** The position moves by #step/#scale of an input sample per output sample. */
  readonly #step: number;
  readonly #scale: number;
  /** What came and is still in reach, and the number of its first sample. */
  #held: Float32Array;
  #heldFrom: number;
  #received = 0;
  #whole = 0;
  #part = 0;

  constructor(fromHz: number, toHz: number) {
    const measure = greatestCommonDivisor(fromHz, toHz);
    this.#step = fromHz / measure;
    this.#scale = toHz / measure;
    const share = Math.min(1, toHz / fromHz);
    this.#reach = Math.ceil(ZERO_CROSSINGS / share);
    const count = Math.min(this.#scale, MAX_PHASES);
    this.#phases = Array.from({ length: count }, (_, phase) =>
      tapsAt(phase / count, this.#reach, share * CUTOFF * 2),
    );
    // Before the first sample there was silence.
    this.#held = new Float32Array(this.#reach);
    this.#heldFrom = -this.#reach;
  }

  /** Takes the next samples and gives those that are settled by them. */
  push(samples: Float32Array): Float32Array {
    const held = new Float32Array(this.#held.length + samples.length);
    held.set(this.#held);
    held.set(samples, this.#held.length);
    this.#held = held;
    this.#received += samples.length;
    return this.#settled(this.#received - this.#reach);
  }

  /** What is left once everything came: after the last sample there is silence. */
  end(): Float32Array {
    const total = this.#received;
    const held = new Float32Array(this.#held.length + this.#reach + 1);
    held.set(this.#held);
    this.#held = held;
    return this.#settled(total);
  }

  /** Output whose position lies before `limit`. */
  #settled(limit: number): Float32Array {
    const output = new Float32Array(
      Math.max(0, Math.ceil(((limit - this.#whole) * this.#scale - this.#part) / this.#step)),
    );
    const phasesPerScale = this.#phases.length / this.#scale;
    for (let n = 0; n < output.length; n += 1) {
      const taps = this.#phases[Math.floor(this.#part * phasesPerScale)];
      if (!taps) break;
      const from = this.#whole - this.#heldFrom - this.#reach + 1;
      let sum = 0;
      for (let i = 0; i < taps.length; i += 1) sum += (taps[i] ?? 0) * (this.#held[from + i] ?? 0);
      output[n] = sum;
      this.#part += this.#step;
      this.#whole += Math.floor(this.#part / this.#scale);
      this.#part %= this.#scale;
    }
    const keepFrom = Math.max(this.#heldFrom, this.#whole - this.#reach);
    this.#held = this.#held.slice(Math.min(keepFrom - this.#heldFrom, this.#held.length));
    this.#heldFrom = keepFrom;
    return output;
  }
}

/** The filter at a position `phase` (0 … 1) behind a sample: taps of that sample and its neighbours, summing up to 1. */
function tapsAt(phase: number, reach: number, bandwidth: number): Float32Array {
  const taps = Float64Array.from({ length: 2 * reach }, (_, i) => {
    const distance = i - reach + 1 - phase;
    return sinc(distance * bandwidth) * kaiser(distance / reach);
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return Float32Array.from(taps, (tap) => tap / sum);
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const kaiser = (x: number): number =>
  Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);

/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);
