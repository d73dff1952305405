/**
 * How a call sounds, from one sample of the browser's statistics a second. Pure.
 *
 * A warning is raised when 3 of the last 5 samples break its limit and cleared when none of the last 5 does, so a
 * single hiccup neither shows nor flickers. Names and limits follow what the field's browser SDKs use.
 */

import { mosOf } from '@clarion/protocol/quality';

export const SAMPLE_INTERVAL_MS = 1_000;
export const WINDOW_SAMPLES = 5;
export const BAD_SAMPLES_TO_RAISE = 3;

export const MAX_ROUND_TRIP_MS = 400;
export const MAX_JITTER_MS = 30;
/** Share of packets lost in the second, 0 to 1. */
export const MAX_LOSS_RATIO = 0.01;
export const MIN_MOS = 3;

/** One second of a call. `null` where the browser does not know (yet). */
export interface QualitySample {
  roundTripMs: number | null;
  jitterMs: number | null;
  /** Share of the packets of this second that never came, 0 to 1. */
  lossRatio: number | null;
  packetsReceived: number;
  packetsSent: number;
  packetsLost: number;
  /** `lossRatio` as the call detail has it, 0 to 100. */
  lossPercent: number | null;
  /** PCMA, PCMU or OPUS, as in the call detail. */
  codec: string | null;
  /** Mean opinion score, 1 (bad) to 4.5 (as good as a phone gets). */
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

/** Adds a sample and says which warnings began and ended with it. */
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

/** The opinion score of a call that sounds like this; the call detail's is reckoned the same way. */
export function estimateMos(roundTripMs: number | null, jitterMs: number, lossRatio: number): number {
  return mosOf({ roundTripMs, jitterMs, lossPercent: lossRatio * 100 });
}

/** The last few seconds in one word. */
export function qualityLevel(samples: readonly QualitySample[]): QualityLevel {
  const scores = samples.map((sample) => sample.mos).filter((mos) => mos !== null);
  if (scores.length === 0) return 'unknown';
  const mean = scores.reduce((sum, mos) => sum + mos, 0) / scores.length;
  if (mean >= 3.9) return 'good';
  return mean >= 3.2 ? 'fair' : 'poor';
}
