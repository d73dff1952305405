/** Which numbers an account may call: ranges that are blocked, and the countries of its plan. Pure. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Satellite networks and premium services without a country: the usual destinations of toll fraud. */
const BLOCKED_CALLING_CODES = new Set(['870', '878', '881', '882', '883', '979']);

/** True for `+` and digits that can be a telephone number: a known calling code with a valid length. */
export const isPossibleNumber = (e164: string): boolean =>
  parsePhoneNumberFromString(e164)?.isPossible() ?? false;

/** The columns of the account. */
export interface DestinationRules {
  /** ISO 3166 codes that the plan allows; none means all. */
  planCountries: readonly string[];
  /** Digits with which no number called may begin. */
  planBlockedPrefixes: readonly string[];
}

export type DestinationRefusal = 'destination_blocked' | 'destination_not_allowed';

/**
 * @returns why the account may not call the number; null if it may. Satellite and premium ranges are blocked under every plan. A number
 * that may belong to several countries is allowed only if all of them are.
 */
export function destinationRefusal(
  e164: string,
  { planCountries, planBlockedPrefixes }: DestinationRules,
): DestinationRefusal | null {
  const number = parsePhoneNumberFromString(e164);
  if (!number || BLOCKED_CALLING_CODES.has(number.countryCallingCode)) return 'destination_blocked';
  if (number.getType() === 'PREMIUM_RATE') return 'destination_blocked';
  const digits = e164.replace(/^\+/, '');
  if (planBlockedPrefixes.some((prefix) => digits.startsWith(prefix))) return 'destination_blocked';
  if (planCountries.length === 0) return null;
  const possible = number.country ? [number.country] : number.getPossibleCountries();
  const isAllowed = possible.length > 0 && possible.every((country) => planCountries.includes(country));
  return isAllowed ? null : 'destination_not_allowed';
}
