/** Withheld numbers (RFC 3323, RFC 3325): how carriers signal them, and how Clarion presents them. */

/** The customer's address in every presentation of a call whose caller withheld their number. */
export const WITHHELD_ADDRESS = 'anonymous';

/** User parts, letters only: RFC 3323 section 4.1.1.3, and variants that carriers use. */
const WITHHELD_USERS = new Set([
  WITHHELD_ADDRESS,
  'anonymoususer',
  'restricted',
  'withheld',
  'private',
  'blocked',
  'withheldnumber',
  'numberwithheld',
  'privatenumber',
  'blockednumber',
]);

/** Whether a user part means that the caller withheld their number. */
export const isWithheldUser = (user: string): boolean =>
  WITHHELD_USERS.has(user.toLowerCase().replaceAll(/[^a-z]/g, '')) && !/\d/.test(user);

/** Whether an address means a withheld number, and therefore does not identify a customer. */
export const isWithheldAddress = (address: string): boolean =>
  address.trim().toLowerCase() === WITHHELD_ADDRESS;
