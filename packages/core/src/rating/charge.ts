/** The price of a duration: billing blocks and one division. Pure. */
import { divideRounded, type Millionths } from './millionths.ts';

const SECONDS_PER_MINUTE = 60n;
/** 100 % in millionths of a percent. */
const WHOLE = 100_000_000n;

export interface BillingBlocks {
  /** The first block: at least this many seconds are billed. */
  initialSeconds: number;
  /** Every further block that has begun is billed. */
  incrementSeconds: number;
}

export interface MinutePrice extends BillingBlocks {
  ratePerMinute: Millionths;
  /** Charged once for a call that was answered. */
  connectionFee: Millionths;
}

export interface Charge {
  billedSeconds: number;
  amount: Millionths;
}

/** Whole seconds; a call of 0 seconds was not answered and costs nothing. */
export function billedSeconds(seconds: number, { initialSeconds, incrementSeconds }: BillingBlocks): number {
  if (seconds <= 0) return 0;
  if (seconds <= initialSeconds) return initialSeconds;
  return initialSeconds + Math.ceil((seconds - initialSeconds) / incrementSeconds) * incrementSeconds;
}

/**
 * The connection fee plus the rate of the billed seconds, with a markup on both, rounded half up to a millionth.
 *
 * @param markupPercent in millionths of a percent: -100 % is free of charge
 */
export function chargeOf(price: MinutePrice, seconds: number, markupPercent: Millionths = 0n): Charge {
  const billed = billedSeconds(seconds, price);
  if (billed === 0) return { billedSeconds: 0, amount: 0n };
  const perMinute = price.connectionFee * SECONDS_PER_MINUTE + price.ratePerMinute * BigInt(billed);
  const amount = divideRounded(perMinute * (WHOLE + markupPercent), SECONDS_PER_MINUTE * WHOLE);
  return { billedSeconds: billed, amount };
}

/** What a minute costs with a markup, without a connection fee, rounded half up to a millionth. */
export const markedUp = (ratePerMinute: Millionths, markupPercent: Millionths): Millionths =>
  divideRounded(ratePerMinute * (WHOLE + markupPercent), WHOLE);
