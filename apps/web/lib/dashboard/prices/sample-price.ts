/** What an item costs in an example, from what is entered. Pure. */
import { chargeOf } from '@clarion/core/rating/charge';
import { amountOf, millionthsOf } from '@clarion/core/rating/millionths';
import type { Answer } from '../request.ts';
import type { ItemDraft, Kind } from './plan-draft.ts';

type Entry = NonNullable<Answer<'GET', '/v1/rate-decks/{deckId}/lookup'>['entry']>;

export interface SampleCharge {
  billedSeconds: number;
  amount: string;
}

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
): SampleCharge | null {
  const ratePerMinute = amountIn(flatRate);
  if (ratePerMinute === null || initialSeconds === null || incrementSeconds === null) return null;
  const { billedSeconds, amount } = chargeOf(
    { ratePerMinute, connectionFee: 0n, initialSeconds, incrementSeconds },
    seconds,
  );
  return { billedSeconds, amount: amountOf(amount) };
}

/** A call at the rate of a deck with a markup; null while the markup is not a number. */
export function deckCharge(entry: Entry, markupPercent: string, seconds: number): SampleCharge | null {
  const markup = amountIn(markupPercent);
  if (markup === null) return null;
  const { initialSeconds, incrementSeconds } = entry;
  const { billedSeconds, amount } = chargeOf(
    {
      ratePerMinute: millionthsOf(entry.rate),
      connectionFee: millionthsOf(entry.connectionFee),
      initialSeconds,
      incrementSeconds,
    },
    seconds,
    markup,
  );
  return { billedSeconds, amount: amountOf(amount) };
}

export const isAmount = (text: string): boolean => amountIn(text) !== null;

export const units: Record<Kind, string> = {
  CALL: 'per minute',
  RECORDING: 'per minute',
  STORAGE: 'per GB and month',
  MONTHLY_FEE: 'per month',
  SEAT: 'per agent and month',
  NUMBER: 'per number and month',
};
