/** Usage records as figures and words: margins, totals by currency, and what lacks a price. Pure. */
import { amountOf, millionthsOf } from '@clarion/core/rating/millionths';
import type { Answer } from '../request.ts';

export type UsageRecord = Answer<'GET', '/v1/usage'>['usage'][number];

export interface Amount {
  amount: string;
  currency: string;
}

export const carrierCostOf = ({ carrierCost: { amount, currency } }: UsageRecord): Amount | null =>
  amount === null || currency === null ? null : { amount, currency };

const costsOf = (record: UsageRecord): Amount[] =>
  [carrierCostOf(record), record.platformCost].filter((cost) => cost !== null);

/**
 * What the tenant is charged minus the known costs. Null: nothing is charged, the currencies differ, or the call used a trunk and no cost
 * is known.
 */
export function marginOf(record: UsageRecord): Amount | null {
  const [charge] = record.tenantCharges;
  const costs = costsOf(record);
  if (!charge || costs.some(({ currency }) => currency !== charge.currency)) return null;
  if (record.trunkOwner !== null && costs.length === 0) return null;
  const margin = costs.reduce((left, { amount }) => left - millionthsOf(amount), millionthsOf(charge.amount));
  return { amount: amountOf(margin), currency: charge.currency };
}

export interface CurrencyTotals {
  currency: string;
  /** Null: no record has this figure in this currency. */
  carrier: string | null;
  platform: string | null;
  charged: string | null;
  margin: string | null;
}

/** The sums of the records, one for each currency. */
export function totalsOf(records: readonly UsageRecord[]): CurrencyTotals[] {
  const figures = {
    carrier: records.map(carrierCostOf),
    platform: records.map(({ platformCost }) => platformCost),
    charged: records.map(({ tenantCharges: [charge] }) => charge ?? null),
    margin: records.map(marginOf),
  };
  const all = Object.values(figures).flat();
  const currencies = [...new Set(all.flatMap((amount) => amount?.currency ?? []))].toSorted();
  return currencies.map((currency) => ({
    currency,
    carrier: sumIn(currency, figures.carrier),
    platform: sumIn(currency, figures.platform),
    charged: sumIn(currency, figures.charged),
    margin: sumIn(currency, figures.margin),
  }));
}

function sumIn(currency: string, amounts: readonly (Amount | null)[]): string | null {
  const some = amounts.filter((amount) => amount?.currency === currency);
  if (some.length === 0) return null;
  return amountOf(some.reduce((sum, amount) => sum + millionthsOf(amount?.amount ?? '0'), 0n));
}

/** Calls and recordings that could have a price and have none. */
export function gapsOf(records: readonly UsageRecord[]): { noCost: number; noCharge: number } {
  const used = records.filter(isUsed);
  return {
    noCost: used.filter((record) => record.trunkOwner === 'CONSUMER' && isUnrated(record)).length,
    noCharge: used.filter(({ tenantCharges }) => tenantCharges.length === 0).length,
  };
}

const isUnrated = ({ kind, carrierCost }: UsageRecord): boolean =>
  kind === 'CALL' && carrierCost.status === 'NO_RATE';

/** Not a call that nobody answered, nor an empty recording. */
const isUsed = ({ seconds, connectedSeconds }: UsageRecord): boolean => (connectedSeconds ?? seconds) > 0;

export const kindNames: Record<UsageRecord['kind'], string> = {
  CALL: 'Call',
  RECORDING: 'Recording',
  STORAGE: 'Storage',
  MONTHLY_FEE: 'Monthly fee',
  SEAT: 'Agents',
  NUMBER: 'Numbers',
};

export function usageName({ kind, direction }: UsageRecord): string {
  if (kind !== 'CALL' || direction === null) return kindNames[kind];
  return direction === 'INBOUND' ? 'Inbound call' : 'Outbound call';
}

/** Of what is charged by the day: "3 agents", "1.25 GB"; null for a call, a recording and a monthly fee. */
export function quantityText({ kind, quantity }: UsageRecord): string | null {
  if (quantity === null) return null;
  if (kind === 'STORAGE') return `${quantity} GB`;
  const noun = kind === 'SEAT' ? 'agent' : kind === 'NUMBER' ? 'number' : null;
  return noun && `${quantity} ${noun}${quantity === '1' ? '' : 's'}`;
}

export function trunkText({ trunkOwner, channelType }: UsageRecord): string | null {
  if (trunkOwner === null) return channelType === 'WHATSAPP' ? 'WhatsApp' : null;
  return trunkOwner === 'PLATFORM' ? 'Platform trunk' : 'Own trunk';
}

/** How a price was determined: "Flat rate", "Markup of 50%". */
export function methodText({
  method,
  markupPercent,
}: {
  method: string | null;
  markupPercent: string | null;
}) {
  if (method === 'FLAT') return 'Flat rate';
  return markupPercent === null ? 'Rate deck' : `Markup of ${markupPercent}%`;
}
