/**
 * The forms in which an address may be stored, for filters that accept a number with or without `+` or `00`, a SIP URI, or the user ID of a
 * WhatsApp customer. Pure.
 */
import { isSipUri, normalSipUri } from './trunk-numbers.ts';
import { normalUserId } from './whatsapp-customer.ts';

export function addressForms(address: string): string[] {
  // A SIP URI contains no spaces: in a query string, the space was a `+`.
  if (isSipUri(address)) {
    const uri = address.replaceAll(' ', '+');
    return [...new Set([uri, normalSipUri(uri)])];
  }
  const userId = normalUserId(address);
  if (userId !== null) return [...new Set([address, userId])];
  const compact = address.replaceAll(/[\s().-]/g, '');
  const digits = /^(?:\+|00)?(\d+)$/.exec(compact)?.[1];
  return digits === undefined ? [address] : [...new Set([address, compact, digits, `+${digits}`])];
}

/** The digits of a telephone number as stored with calls and lines; null for other addresses. */
export const digitsOf = (address: string): string | null => /^\+?(\d{1,15})$/.exec(address)?.[1] ?? null;
