/** The limits that the operator sets for an account, and what the account pays. */
import { invalidField } from '@clarion/protocol';
import { readAmount } from '@clarion/protocol/v1/fields/money';
import { getCountries } from 'libphonenumber-js/max';
import { inTransaction } from '../context.ts';
import { planProblem } from '../ledger/account-terms.ts';
import { planToAssign } from '../price-plan/plan-rows.ts';
import { updateConsumer } from './change-consumer.ts';
import { lockConsumer } from './operator.ts';
import type { OperatorCtx } from './operator.ts';
import type { ConsumerView } from './present.ts';

export interface PlanChange {
  callsAtOnce?: number;
  outboundPerMinute?: number;
  /** ISO 3166 codes; none means every country. */
  countries?: string[];
  /** Per tenant. */
  audioAssets?: number;
  /** Per tenant: uploads and their decoded files. */
  audioMegabytes?: number;
  /** Own trunks, whatever their status. */
  trunks?: number;
  /** The most that an outbound call may cost the account per minute, as a decimal; null: no limit. */
  maxRate?: string | null;
  /** Digits with which no number called may begin. */
  blockedPrefixes?: string[];
  /** A price plan of the operator; null: the account pays nothing. */
  pricePlanId?: number | null;
}

const PREFIX = /^\d{1,15}$/;
const MAX_BLOCKED_PREFIXES = 500;

/** @throws 400 naming the field */
export async function setPlan(ctx: OperatorCtx, slug: string, plan: PlanChange): Promise<ConsumerView> {
  const known = new Set<string>(getCountries());
  const countries = plan.countries?.map((country) => country.trim().toUpperCase());
  const wrong = countries?.find((country) => !known.has(country));
  if (wrong !== undefined)
    throw invalidField('countries', `countries: ${wrong} is not an ISO 3166 country code.`);
  const change = {
    ...(plan.callsAtOnce !== undefined && { planCallsAtOnce: plan.callsAtOnce }),
    ...(plan.outboundPerMinute !== undefined && { planOutboundPerMinute: plan.outboundPerMinute }),
    ...(plan.audioAssets !== undefined && { planAudioAssets: plan.audioAssets }),
    ...(plan.audioMegabytes !== undefined && { planAudioMegabytes: plan.audioMegabytes }),
    ...(plan.trunks !== undefined && { planTrunks: plan.trunks }),
    ...(plan.maxRate !== undefined && { planMaxRate: maxRateOf(plan.maxRate) }),
    ...(plan.blockedPrefixes && { planBlockedPrefixes: prefixesOf(plan.blockedPrefixes) }),
    ...(plan.pricePlanId !== undefined && { pricePlanId: plan.pricePlanId }),
    ...(countries && { planCountries: [...new Set(countries)] }),
  };
  return inTransaction(ctx, async (inner) => {
    if (typeof plan.pricePlanId === 'number') await assertAssignable(inner, slug, plan.pricePlanId);
    return updateConsumer(inner, slug, 'plan.set', change);
  });
}

function maxRateOf(given: string | null): string | null {
  if (given === null) return null;
  const rate = readAmount(given);
  if (rate === null || rate.startsWith('-')) {
    throw invalidField('max_rate', 'max_rate must be an amount of 0 or more with at most 6 decimals.');
  }
  return rate;
}

function prefixesOf(given: string[]): string[] {
  const prefixes = given.map((prefix) => prefix.trim().replace(/^\+/, ''));
  const wrong = prefixes.find((prefix) => !PREFIX.test(prefix));
  if (wrong !== undefined) {
    const message = `blocked_prefixes: "${wrong}" must be 1 to 15 digits of an international number.`;
    throw invalidField('blocked_prefixes', message);
  }
  if (prefixes.length > MAX_BLOCKED_PREFIXES) {
    const message = `blocked_prefixes must have at most ${MAX_BLOCKED_PREFIXES} entries.`;
    throw invalidField('blocked_prefixes', message);
  }
  return [...new Set(prefixes)];
}

/** The account is locked first, so that its billing account is not opened, or its currency changed, meanwhile. */
async function assertAssignable(ctx: OperatorCtx, slug: string, id: number): Promise<void> {
  const { db } = ctx;
  const consumer = await lockConsumer(ctx, slug);
  const plan = await planToAssign({ db, consumerId: null }, id);
  if (!plan) throw invalidField('price_plan', `price_plan: the operator has no price plan ${id}.`);
  const account = await db.billingAccount.findFirst({
    where: { consumerId: consumer.id, owner: 'CONSUMER' },
  });
  const problem = planProblem(plan, account, 'account');
  if (problem !== null) throw invalidField('price_plan', `price_plan: ${problem}`);
}
