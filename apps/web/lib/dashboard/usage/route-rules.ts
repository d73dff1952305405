/** The rules and the exclusions of a route preview in words, and where to change them. Pure. */
import type { Answer } from '../request.ts';
import { formatRate } from '../rate-decks/format-rate.ts';

export type RoutePreview = Answer<'POST', '/v1/route-preview'>['preview'];
export type Route = RoutePreview['routes'][number];
export type RuleCode = RoutePreview['rules'][number]['code'];
export type RoutePrice = NonNullable<Route['carrier']>;

export interface RuleWords {
  /** What is true if the rule lets the call pass. */
  title: string;
  /** What to do if it does not. */
  fix: string;
  /** The page on which to do it; null: not in the dashboard. */
  page: { label: string; of: 'tenant' | 'line' } | null;
}

const tenantPage = { label: 'Open the tenant', of: 'tenant' } as const;
const linePage = { label: 'Open the line', of: 'line' } as const;

/** In the order in which they are checked. */
export const ruleWords: Record<RuleCode, RuleWords> = {
  tenant_suspended: {
    title: 'The tenant is active',
    fix: 'Set the tenant to active.',
    page: tenantPage,
  },
  channel_disabled: {
    title: 'The line is active',
    fix: 'Set the line to active.',
    page: linePage,
  },
  unsupported_channel: {
    title: 'The line can place calls',
    fix: 'Choose a SIP trunk for the line, or save the access token of a WhatsApp line.',
    page: linePage,
  },
  invalid_customer: {
    title: 'The number is complete and valid',
    fix: 'Enter the number with a + and its country code, such as +44 20 7946 0123.',
    page: null,
  },
  emergency_not_supported: {
    title: 'The number is not an emergency number',
    fix: 'Emergency calls are not supported. Agents must use another phone.',
    page: null,
  },
  destination_blocked: {
    title: 'The range of numbers is not blocked',
    fix: 'Satellite and premium-rate numbers are always blocked. Your operator can change the other blocked prefixes of your account.',
    page: null,
  },
  destination_not_allowed: {
    title: 'Your account may call this country',
    fix: 'Ask your operator to allow the country for your account.',
    page: null,
  },
  rate_too_high: {
    title: 'A trunk may place the call at its price',
    fix: 'The trunks below show what excludes them.',
    page: null,
  },
};

export const exclusionWords: Record<NonNullable<Route['excluded']>, { title: string; fix: string }> = {
  TRUNK_NOT_ACTIVE: {
    title: 'Not used: the trunk is not active',
    fix: 'Activate the trunk.',
  },
  NO_PRICE: {
    title: 'No price for the tenant',
    fix: 'Add a price for this destination to the tenant’s price plan.',
  },
  RATE_TOO_HIGH: {
    title: 'Not used: a minute costs more than your account may pay',
    fix: 'Use a cheaper trunk, or ask your operator to raise the limit per minute.',
  },
  MARGIN: {
    title: 'Not used: it costs more than the tenant pays',
    fix: 'The line has a margin guard. Raise the price in the tenant’s plan, use a cheaper trunk, or turn off the margin guard of the line.',
  },
};

/** The result in one sentence, for the heading and for screen readers. */
export function resultText({ number, refusal, routes }: RoutePreview): string {
  const to = number === null ? 'The call' : `The call to ${number}`;
  if (refusal !== null) return `${to} would be refused. ${refusal.message}`;
  const tried = routes.filter(({ order }) => order !== null);
  const [first, ...others] = tried.map(({ trunk }) => trunk?.name ?? 'WhatsApp');
  if (first === undefined) return `${to} would fail: no trunk of the line is active.`;
  const next = others.length === 0 ? '' : `, and over ${others.join(' and ')} if that fails`;
  return `${to} would be placed over ${first}${next}.`;
}

/** "0.0048 USD per minute, in blocks of 60/60 seconds, plus 0.0100 USD per call" */
export function priceText(price: RoutePrice): string {
  const { currency, ratePerMinute, connectionFee, initialSeconds, incrementSeconds, markupPercent } = price;
  const fee = connectionFee === '0' ? '' : `, plus ${formatRate(connectionFee)} ${currency} per call`;
  const markup = markupPercent === null ? '' : `, with a markup of ${markupPercent}%`;
  const blocks = `in blocks of ${initialSeconds}/${incrementSeconds} seconds`;
  return `${formatRate(ratePerMinute)} ${currency} per minute, ${blocks}${fee}${markup}`;
}

/** Why a price is missing. */
export function noPriceText(of: 'carrier' | 'platform' | 'tenant', { trunk }: Route): string {
  if (of === 'tenant') return 'None: the tenant has no price plan, or its plan has no price for this call.';
  if (of === 'platform') return 'None: your operator charges nothing for this call.';
  if (trunk?.owner === 'CONSUMER')
    return 'None: the trunk has no buying deck, or its deck has no price for this number.';
  return 'None. This is not your own trunk.';
}
