/**
 * Measures whether a known tone is present, and whether it is present without interruption. Pure functions on linear samples of any
 * scale (16-bit or −1 … 1): levels are relative, so the scale cancels out.
 */

export type Samples = Int16Array | Float32Array | Float64Array;

/** A tone counts as heard if it is within 10 Hz of what was sent and 20 dB above everything else together. */
export const TONE_TOLERANCE_HZ = 10;
export const TONE_OVER_REST_DB = 20;

const SCAN_STEP_HZ = 1;
const SILENCE_POWER = 1e-9; // relative to full scale²; anything below it counts as silence
const FLOOR_DB = -120;

/**
 * Mean power of the component at `hz` (amplitude²/2 for a steady sine), by the Goertzel algorithm for any frequency.
 */
export function tonePower(samples: Samples, sampleRate: number, hz: number): number {
  const omega = (2 * Math.PI * hz) / sampleRate;
  const coefficient = 2 * Math.cos(omega);
  let previous = 0;
  let beforePrevious = 0;
  for (const sample of samples) {
    const current = sample + coefficient * previous - beforePrevious;
    beforePrevious = previous;
    previous = current;
  }
  const squared = previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious;
  return samples.length === 0 ? 0 : (2 * squared) / samples.length ** 2;
}

/** Mean power of the whole signal. */
export function meanPower(samples: Samples): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : sum / samples.length;
}

export interface ToneMeasure {
  /** Frequency of the strongest component near the expected one. */
  hz: number;
  /** Power of the tone relative to the rest of the signal, in dB. */
  overRestDb: number;
  /** Mean power of the signal relative to full scale, in dB. */
  levelDb: number;
  /** Whether it meets both criteria above. */
  heard: boolean;
}

/**
 * Measures the tone expected at `expectedHz`. Use 100 ms of samples or more: the resolution is 1/length.
 */
export function measureTone(samples: Samples, sampleRate: number, expectedHz: number): ToneMeasure {
  const fullScale = samples instanceof Int16Array ? 32_768 : 1;
  const total = meanPower(samples);
  const levelDb = decibels(total / fullScale ** 2);
  if (total / fullScale ** 2 < SILENCE_POWER)
    return { hz: expectedHz, overRestDb: FLOOR_DB, levelDb, heard: false };
  // Scans beyond the tolerance, so that a peak outside it is recognised as such.
  const reach = TONE_TOLERANCE_HZ * 2;
  let hz = expectedHz;
  let power = 0;
  for (let candidate = expectedHz - reach; candidate <= expectedHz + reach; candidate += SCAN_STEP_HZ) {
    const candidatePower = tonePower(samples, sampleRate, candidate);
    if (candidatePower > power) [hz, power] = [candidate, candidatePower];
  }
  const rest = Math.max(total - power, total * 1e-9);
  const overRestDb = decibels(power / rest);
  const heard = Math.abs(hz - expectedHz) <= TONE_TOLERANCE_HZ && overRestDb >= TONE_OVER_REST_DB;
  return { hz, overRestDb, levelDb, heard };
}

export interface Gap {
  startMs: number;
  lengthMs: number;
}

/** A window whose tone is this far below the median of all windows is a gap. */
const GAP_DROP_DB = 12;
/** Length of a window: the duration of one RTP packet. */
const GAP_WINDOW_MS = 20;

/**
 * The sections in which the tone is missing; empty if it is present from the first sample to the last. If there is no tone at all, the
 * whole recording is one gap.
 */
export function findGaps(
  samples: Samples,
  sampleRate: number,
  hz: number,
  { windowMs = GAP_WINDOW_MS, dropDb = GAP_DROP_DB } = {},
): Gap[] {
  const size = Math.round((sampleRate * windowMs) / 1000);
  const powers: number[] = [];
  for (let start = 0; start + size <= samples.length; start += size)
    powers.push(tonePower(samples.subarray(start, start + size), sampleRate, hz));
  const median = powers.toSorted((a, b) => a - b)[Math.floor(powers.length / 2)] ?? 0;
  const fullScale = samples instanceof Int16Array ? 32_768 : 1;
  const isSilence = median / fullScale ** 2 < SILENCE_POWER;
  const threshold = median / 10 ** (dropDb / 10);
  const gaps: Gap[] = [];
  powers.forEach((power, index) => {
    if (!isSilence && power >= threshold) return;
    const startMs = index * windowMs;
    const last = gaps.at(-1);
    if (last && last.startMs + last.lengthMs === startMs) last.lengthMs += windowMs;
    else gaps.push({ startMs, lengthMs: windowMs });
  });
  return gaps;
}

export interface SteadyTone {
  /** Share of the 100 ms windows in which the tone is heard. */
  heardShare: number;
  /** Median over all windows. */
  medianOverRestDb: number;
  gaps: Gap[];
  /** The criterion for a conversation: the tone has no gap and is heard in three of five windows. */
  steady: boolean;
}

const STEADY_WINDOW_MS = 100;
/**
 * A receiver's jitter buffer stretches and compresses time. The tone continues, but its phase jumps, and that window measures worse. On a
 * machine with a busy host this happens three times a second.
 */
const STEADY_SHARE = 0.6;

/** Measures a tone over seconds, in windows: over the whole length, a single phase jump would cancel the tone. */
export function measureSteadyTone(samples: Samples, sampleRate: number, hz: number): SteadyTone {
  const size = (sampleRate * STEADY_WINDOW_MS) / 1000;
  const windows: ToneMeasure[] = [];
  for (let start = 0; start + size <= samples.length; start += size)
    windows.push(measureTone(samples.subarray(start, start + size), sampleRate, hz));
  const heardShare = windows.filter(({ heard }) => heard).length / Math.max(1, windows.length);
  const overRest = windows.map(({ overRestDb }) => overRestDb).toSorted((a, b) => a - b);
  const medianOverRestDb = overRest[Math.floor(overRest.length / 2)] ?? FLOOR_DB;
  const gaps = findGaps(samples, sampleRate, hz);
  const measured = { heardShare, medianOverRestDb, gaps };
  return { ...measured, steady: isSteady(measured) };
}

/** The criterion for a conversation, in which interruptions of up to `longestGapMs` are accepted. */
export const isSteady = (
  { heardShare, gaps }: Pick<SteadyTone, 'heardShare' | 'gaps'>,
  longestGapMs = 0,
): boolean => heardShare >= STEADY_SHARE && gaps.every(({ lengthMs }) => lengthMs <= longestGapMs);

/** The first time from which `hz` is heard for `forMs`, in ms from the start; null if it never is. */
export function firstHeardMs(
  samples: Samples,
  sampleRate: number,
  hz: number,
  { forMs = 200, stepMs = 20 } = {},
): number | null {
  const size = Math.round((sampleRate * forMs) / 1000);
  const step = Math.round((sampleRate * stepMs) / 1000);
  for (let start = 0; start + size <= samples.length; start += step)
    if (measureTone(samples.subarray(start, start + size), sampleRate, hz).heard)
      return (start * 1000) / sampleRate;
  return null;
}

/** A sine as 16-bit samples, `startSample` continuing an earlier one without a click. */
export function sine(
  hz: number,
  sampleRate: number,
  samples: number,
  { amplitude = 8000, startSample = 0 } = {},
): Int16Array {
  const omega = (2 * Math.PI * hz) / sampleRate;
  return Int16Array.from({ length: samples }, (_, i) =>
    Math.round(amplitude * Math.sin(omega * (startSample + i))),
  );
}

function decibels(ratio: number): number {
  return ratio <= 0 ? FLOOR_DB : Math.max(FLOOR_DB, 10 * Math.log10(ratio));
}
