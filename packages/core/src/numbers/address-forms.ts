/** The ways one address may be stored, for filters that take a number with or without `+` or `00`. Pure. */
import { isSipUri, keptSipUri } from './trunk-numbers.ts';

export function addressForms(address: string): string[] {
  // No SIP URI has a space: in a query string it was a `+`.
  if (isSipUri(address)) {
    const uri = address.replaceAll(' ', '+');
    return [...new Set([uri, keptSipUri(uri)])];
  }
  const compact = address.replaceAll(/[\s().-]/g, '');
  const digits = /^(?:\+|00)?(\d+)$/.exec(compact)?.[1];
  return digits === undefined ? [address] : [...new Set([address, compact, digits, `+${digits}`])];
}
