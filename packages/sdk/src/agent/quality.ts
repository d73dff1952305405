/**
 * The quality of a call, from one sample of the browser's statistics per second. Pure.
 *
 * A warning starts when 3 of the last 5 samples exceed its limit and ends when none of the last 5 does, so that a short disturbance
 * is not reported and warnings do not flicker. Names and limits follow those of other browser calling SDKs.
 */

import { mosOf } from '@clarion/protocol/quality';

export const SAMPLE_INTERVAL_MS = 1_000;
export const WINDOW_SAMPLES = 5;
export const BAD_SAMPLES_TO_RAISE = 3;

export const MAX_ROUND_TRIP_MS = 400;
export const MAX_JITTER_MS = 30;
/** The share of packets lost in one second, 0 to 1. */
export const MAX_LOSS_RATIO = 0.01;
export const MIN_MOS = 3;

/** One second of a call. `null` means that the value is not known (yet). */
export interface QualitySample {
  roundTripMs: number | null;
  jitterMs: number | null;
  /** The share of the packets of this second that were not received, 0 to 1. */
  lossRatio: number | null;
  packetsReceived: number;
  packetsSent: number;
  packetsLost: number;
  /** `lossRatio` as a percentage, as in the call details. */
  lossPercent: number | null;
  /** PCMA, PCMU or OPUS, as in the call details. */
  codec: string | null;
  /** The mean opinion score, from 1 (bad) to 4.5 (the best for a phone call). */
  mos: number | null;
}

export type QualityWarning =
  'high-rtt' | 'high-jitter' | 'high-packet-loss' | 'low-mos' | 'no-audio-received' | 'no-audio-sent';

export type QualityLevel = 'good' | 'fair' | 'poor' | 'unknown';

const broken: Record<QualityWarning, (sample: QualitySample) => boolean> = {
  'high-rtt': (s) => s.roundTripMs !== null && s.roundTripMs > MAX_ROUND_TRIP_MS,
  'high-jitter': (s) => s.jitterMs !== null && s.jitterMs > MAX_JITTER_MS,
  'high-packet-loss': (s) => s.lossRatio !== null && s.lossRatio > MAX_LOSS_RATIO,
  'low-mos': (s) => s.mos !== null && s.mos < MIN_MOS,
  'no-audio-received': (s) => s.packetsReceived === 0,
  'no-audio-sent': (s) => s.packetsSent === 0,
};
export const qualityWarnings = Object.keys(broken) as QualityWarning[];

export interface QualityState {
  samples: readonly QualitySample[];
  active: readonly QualityWarning[];
}
export const noQuality: QualityState = { samples: [], active: [] };

export interface QualityStep {
  state: QualityState;
  raised: QualityWarning[];
  cleared: QualityWarning[];
}

/** Adds a sample and returns the warnings that start and end with it. */
export function addSample(state: QualityState, sample: QualitySample): QualityStep {
  const samples = [...state.samples, sample].slice(-WINDOW_SAMPLES);
  const raised: QualityWarning[] = [];
  const cleared: QualityWarning[] = [];
  for (const name of qualityWarnings) {
    const bad = samples.filter(broken[name]).length;
    if (state.active.includes(name)) {
      if (bad === 0) cleared.push(name);
    } else if (bad >= BAD_SAMPLES_TO_RAISE) {
      raised.push(name);
    }
  }
  const active = [...state.active.filter((name) => !cleared.includes(name)), ...raised];
  return { state: { samples, active }, raised, cleared };
}

/** The estimated mean opinion score, calculated as in the call details. */
export function estimateMos(roundTripMs: number | null, jitterMs: number, lossRatio: number): number {
  return mosOf({ roundTripMs, jitterMs, lossPercent: lossRatio * 100 });
}

/** Rates the last few seconds. */
export function qualityLevel(samples: readonly QualitySample[]): QualityLevel {
  const scores = samples.map((sample) => sample.mos).filter((mos) => mos !== null);
  if (scores.length === 0) return 'unknown';
  const mean = scores.reduce((sum, mos) => sum + mos, 0) / scores.length;
  if (mean >= 3.9) return 'good';
  return mean >= 3.2 ? 'fair' : 'poor';
}
