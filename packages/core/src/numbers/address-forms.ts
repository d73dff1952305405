/** The ways one address may be stored, for filters that take a number with or without `+` or `00`. Pure. */
import { isSipUri } from './trunk-numbers.ts';

export function addressForms(address: string): string[] {
  // No SIP URI has a space: in a query string it was a `+`.
  if (isSipUri(address)) return [address.replaceAll(' ', '+')];
  const compact = address.replaceAll(/[\s().-]/g, '');
  const digits = /^(?:\+|00)?(\d+)$/.exec(compact)?.[1];
  return digits === undefined ? [address] : [...new Set([address, compact, digits, `+${digits}`])];
}
