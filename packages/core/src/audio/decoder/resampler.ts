/**
 * Changes the sample rate of one channel with a windowed-sinc low-pass filter. Its stop band begins at half of the lower rate, which
 * prevents aliasing. At 8 kHz it passes 3.3 kHz and attenuates 4 kHz by 80 dB.
 */

/** Zero crossings of the sinc on each side, in samples of the lower rate. */
const ZERO_CROSSINGS = 32;
/** Shape of the Kaiser window: 80 dB of stop-band attenuation. */
const KAISER_BETA = 8;
/**
 * Cutoff frequency (the middle of the transition band) as a share of the lower rate: 0.5 minus half the transition width of 64 taps with
 * this window.
 */
const CUTOFF = 0.46;
/** Ratios that do not reduce to a small fraction are approximated with this many positions between two samples. */
const MAX_PHASES = 1_024;

export class Resampler {
  readonly #phases: Float32Array[];
  /** Taps on each side of the current position. */
  readonly #reach: number;
  /** The position moves by #step/#scale of an input sample per output sample. */
  readonly #step: number;
  readonly #scale: number;
  /** Input samples that are still needed, and the index of the first one. */
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
    // Before the first sample there is silence.
    this.#held = new Float32Array(this.#reach);
    this.#heldFrom = -this.#reach;
  }

  /** Accepts the next samples and returns the output that they determine. */
  push(samples: Float32Array): Float32Array {
    const held = new Float32Array(this.#held.length + samples.length);
    held.set(this.#held);
    held.set(samples, this.#held.length);
    this.#held = held;
    this.#received += samples.length;
    return this.#settled(this.#received - this.#reach);
  }

  /** The remaining output. After the last sample there is silence. */
  end(): Float32Array {
    const total = this.#received;
    const held = new Float32Array(this.#held.length + this.#reach + 1);
    held.set(this.#held);
    this.#held = held;
    return this.#settled(total);
  }

  /** Output samples at positions before `limit`. */
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

/** Filter coefficients for a position `phase` (0 … 1) after a sample. Their sum is 1. */
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
