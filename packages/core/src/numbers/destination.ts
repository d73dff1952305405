/** The countries of a number, for the plan's restrictions. Pure. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Satellite networks and premium services without a country: the usual destinations of toll fraud. */
const REFUSED_CALLING_CODES = new Set(['870', '878', '881', '882', '883', '979']);

/** True for `+` and digits that can be a telephone number: a known calling code with a valid length. */
export const isPossibleNumber = (e164: string): boolean =>
  parsePhoneNumberFromString(e164)?.isPossible() ?? false;

/**
 * @param countries ISO 3166 codes that the plan allows; none means all
 * @returns false for satellite and premium ranges, whatever the plan, and for countries that the plan does not allow. A number that may
 * belong to several countries is allowed only if all of them are.
 */
export function isAllowedDestination(e164: string, countries: readonly string[]): boolean {
  const number = parsePhoneNumberFromString(e164);
  if (!number || REFUSED_CALLING_CODES.has(number.countryCallingCode)) return false;
  if (number.getType() === 'PREMIUM_RATE') return false;
  if (countries.length === 0) return true;
  const possible = number.country ? [number.country] : number.getPossibleCountries();
  return possible.length > 0 && possible.every((country) => countries.includes(country));
}
