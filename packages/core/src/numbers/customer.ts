/** The customer's address of an outbound call: what a phone line can dial, and in what form it is kept. Pure. */
import type { AddressType } from '@clarion/protocol';
import { isPossibleNumber } from './destination.ts';
import { isEmergency } from './emergency.ts';
import { isSipUri, keptSipUri, toE164 } from './trunk-numbers.ts';

export type ReadCustomer =
  | {
      kind: 'ok';
      address: string;
      addressType: Extract<AddressType, 'E164' | 'SIP_URI'>;
      /** The number that would be dialled, also where a URI hides it; null for a URI that names no number. */
      number: string | null;
    }
  | { kind: 'emergency' }
  | { kind: 'invalid' };

/** RFC 3261 section 25.1, without a password or headers: nothing that could end a header or add one. */
const SIP_URI =
  /^sips?:(?:(?<user>[\w.!~*'()&=+$,;?/%-]+)@)?(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:;[\w.!~*'()%=[\]/:&+$-]+)*$/i;

/** What a URI's user part must look like to be a number in disguise. */
const NUMBER_IN_URI = /^\+?[\d().-]+$/;

/** @param given the type the caller named; null infers it from the address */
export function readCustomer(address: string, given: AddressType | null): ReadCustomer {
  const type = given ?? (isSipUri(address) ? 'SIP_URI' : 'E164');
  if (type === 'E164') return readNumber(address);
  if (type === 'SIP_URI') return readUri(address);
  return { kind: 'invalid' };
}

function readNumber(address: string): ReadCustomer {
  if (/^\+?[\d\s().-]+$/.test(address) && isEmergency(address)) return { kind: 'emergency' };
  const number = toE164(address, null);
  if (number === null || !isPossibleNumber(number)) return { kind: 'invalid' };
  return { kind: 'ok', address: number, addressType: 'E164', number };
}

function readUri(given: string): ReadCustomer {
  const address = keptSipUri(given);
  const matched = SIP_URI.exec(address);
  if (!matched) return { kind: 'invalid' };
  const user = unescaped(matched.groups?.['user'] ?? '').split(';')[0] ?? '';
  if (!NUMBER_IN_URI.test(user)) return { kind: 'ok', address, addressType: 'SIP_URI', number: null };
  if (isEmergency(user)) return { kind: 'emergency' };
  const number = toE164(user, null);
  // An extension like sip:204@pbx is no number of the telephone network.
  return {
    kind: 'ok',
    address,
    addressType: 'SIP_URI',
    number: number && isPossibleNumber(number) ? number : null,
  };
}

function unescaped(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}
