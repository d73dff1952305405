/** What an item costs in an example, from what is entered. Pure. */
import { chargeOf } from '@clarion/core/rating/charge';
import { amountOf, divideRounded, millionthsOf } from '@clarion/core/rating/millionths';
import type { ItemDraft, Kind } from './plan-draft.ts';

const HUNDRED_PERCENT = 100_000_000n;

/** Null: not an amount yet. */
function amountIn(text: string): bigint | null {
  const written = text.trim().replace(/^\+/, '');
  try {
    return millionthsOf(written);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A call or recording at a flat rate per minute; null while the rate is not an amount. */
export function flatCharge(
  { flatRate, initialSeconds, incrementSeconds }: ItemDraft,
  seconds: number,
): { billedSeconds: number; amount: string } | null {
  const ratePerMinute = amountIn(flatRate);
  if (ratePerMinute === null || initialSeconds === null || incrementSeconds === null) return null;
  const { billedSeconds, amount } = chargeOf(
    { ratePerMinute, connectionFee: 0n, initialSeconds, incrementSeconds },
    seconds,
  );
  return { billedSeconds, amount: amountOf(amount) };
}

/** `amount` with a markup; null while the markup is not a number. */
export function withMarkup(amount: string, markupPercent: string): string | null {
  const markup = amountIn(markupPercent);
  if (markup === null) return null;
  return amountOf(divideRounded(millionthsOf(amount) * (HUNDRED_PERCENT + markup), HUNDRED_PERCENT));
}

export const units: Record<Kind, string> = {
  CALL: 'per minute',
  RECORDING: 'per minute',
  STORAGE: 'per GB and month',
  MONTHLY_FEE: 'per month',
  SEAT: 'per agent and month',
  NUMBER: 'per number and month',
};
