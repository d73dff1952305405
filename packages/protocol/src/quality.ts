/**
 * Estimates the perceived quality of a stream from packet statistics: the E-model (ITU-T G.107) with its default values, reduced to delay
 * and loss (R = 93.2 − Id − Ie,eff). It distinguishes good calls from bad ones; it does not measure speech. Pure and without imports, so
 * that the browser SDK computes the same figures.
 */

/** R without impairments (G.107, default values). */
const BEST_R = 93.2;
/** The one-way delay up to which conversation is hardly affected (G.107 §7.4, approximated by Cole and Rosenbluth). */
const MAX_UNNOTICED_DELAY_MS = 177.3;
const IMPAIRMENT_PER_MS = 0.024;
const IMPAIRMENT_PER_MS_BEYOND = 0.11;
/** One packet of 20 ms, and a jitter buffer of at least one packet. */
const FIXED_DELAY_MS = 40;
/** A jitter buffer adds a delay of about twice the jitter. */
const JITTER_BUFFER_FACTOR = 2;
/**
 * Equipment impairment and robustness to random loss (G.113, appendix I) of G.711 with loss concealment, which browsers provide.
 * There are no published values for Opus; it conceals losses at least as well.
 */
const IMPAIRMENT = 0;
const LOSS_ROBUSTNESS = 25.1;
const WORST_IMPAIRMENT = 95;

export interface Reception {
  /** 0 to 100. */
  lossPercent: number;
  /** Interarrival jitter (RFC 3550). */
  jitterMs: number;
  /** Null: unknown; it is then omitted from the delay. */
  roundTripMs: number | null;
}

/** The rating factor R of the E-model, 0 to 93.2. */
export function ratingOf({ lossPercent, jitterMs, roundTripMs }: Reception): number {
  const delayMs = (roundTripMs ?? 0) / 2 + JITTER_BUFFER_FACTOR * jitterMs + FIXED_DELAY_MS;
  const beyond = Math.max(0, delayMs - MAX_UNNOTICED_DELAY_MS);
  const delay = IMPAIRMENT_PER_MS * delayMs + IMPAIRMENT_PER_MS_BEYOND * beyond;
  const loss = IMPAIRMENT + ((WORST_IMPAIRMENT - IMPAIRMENT) * lossPercent) / (lossPercent + LOSS_ROBUSTNESS);
  return Math.max(0, BEST_R - delay - loss);
}

/** Converts R to a mean opinion score, 1 to 4.5 (G.107, annex B). */
export function mosOfRating(rating: number): number {
  if (rating <= 0) return 1;
  if (rating >= 100) return 4.5;
  const score = 1 + 0.035 * rating + 0.000_007 * rating * (rating - 60) * (100 - rating);
  return Math.max(1, score); // the polynomial is below 1 between 0 and 6.5
}

/** The mean opinion score, to two decimals: 1 (bad) to 4.4 (the best that narrowband telephony reaches). */
export const mosOf = (reception: Reception): number =>
  Math.round(mosOfRating(ratingOf(reception)) * 100) / 100;

/** The percentage of expected packets that were lost, to two decimals. */
export function lossPercentOf(received: number, lost: number): number {
  const expected = received + lost;
  return expected === 0 ? 0 : Math.round((lost / expected) * 10_000) / 100;
}
