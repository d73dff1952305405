import type { PhoneCall, PhoneHistoryEntry } from './model.ts';

/** Fewer digits match almost every number. */
const MIN_DIGITS = 3;
const MAX_CONTACTS = 2;

/** The customers of today's calls whose number contains the typed digits, latest first, each number once. */
export function contactsLike(history: readonly PhoneHistoryEntry[], typed: string): PhoneCall[] {
  const digits = digitsOf(typed);
  if (digits.length < MIN_DIGITS) return [];
  const found = new Map<string, PhoneCall>();
  for (const { call } of history) {
    const { customerAddress: address } = call;
    if (address === null || found.has(address) || digitsOf(address) === digits) continue;
    if (digitsOf(address).includes(digits)) found.set(address, call);
  }
  return [...found.values()].slice(0, MAX_CONTACTS);
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '').replace(/^00?/, '');
