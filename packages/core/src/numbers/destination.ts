/** Where a number is, for the plan's countries. Pure. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Satellite networks and premium services that belong to no country: the classic destinations of toll fraud. */
const REFUSED_CALLING_CODES = new Set(['870', '878', '881', '882', '883', '979']);

/** True for `+` and digits that can be a telephone number: a known calling code and a length that exists there. */
export const isPossibleNumber = (e164: string): boolean =>
  parsePhoneNumberFromString(e164)?.isPossible() ?? false;

/**
 * @param countries ISO 3166 codes the plan allows; none means all
 * @returns false for satellite and premium ranges, whatever the plan, and for countries it does not name. A number that
 *   several countries could have is allowed only when all of them are.
 */
export function isAllowedDestination(e164: string, countries: readonly string[]): boolean {
  const number = parsePhoneNumberFromString(e164);
  if (!number || REFUSED_CALLING_CODES.has(number.countryCallingCode)) return false;
  if (number.getType() === 'PREMIUM_RATE') return false;
  if (countries.length === 0) return true;
  const possible = number.country ? [number.country] : number.getPossibleCountries();
  return possible.length > 0 && possible.every((country) => countries.includes(country));
}
