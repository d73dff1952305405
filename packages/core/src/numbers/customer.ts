/** The customer's address of an outbound call: what a line can dial, and in what form it is stored. Pure. */
import type { AddressType, ChannelType } from '@clarion/protocol';
import { isPossibleNumber } from './destination.ts';
import { isEmergency } from './emergency.ts';
import { readSipUri } from './sip-uri.ts';
import { isSipUri, normalSipUri, toE164 } from './trunk-numbers.ts';
import { readWhatsAppCustomer } from './whatsapp-customer.ts';
import type { WhatsAppCustomer } from './whatsapp-customer.ts';

export type ReadCustomer =
  | {
      kind: 'ok';
      address: string;
      addressType: Extract<AddressType, 'E164' | 'SIP_URI'>;
      /** The number that would be dialled, even if it is part of a URI; null for a URI without a number. */
      number: string | null;
    }
  | { kind: 'emergency' }
  | { kind: 'invalid' };

/** The fewest digits that may reach the telephone network. Shorter ones are extensions, like sip:204@pbx. */
const NUMBER_MIN_DIGITS = 6;

/** A number with the visual separators of RFC 3966 section 5.1.1. */
const NUMBER = /^\+?[\d\s().-]+$/;

/**
 * A WhatsApp line calls numbers, whatever type the request gives them, and user IDs.
 *
 * @param given the type in the request; null infers it from the line and the address
 */
export function readCustomerOn(
  line: ChannelType,
  address: string,
  given: AddressType | null,
): ReadCustomer | WhatsAppCustomer {
  if (line === 'SIP') return readCustomer(address, given);
  return given === 'SIP_URI' ? { kind: 'invalid' } : readWhatsAppCustomer(address);
}

/** @param given the type in the request; null infers it from the address */
export function readCustomer(address: string, given: AddressType | null): ReadCustomer {
  const type = given ?? (isSipUri(address) ? 'SIP_URI' : 'E164');
  if (type === 'E164') return readNumber(address);
  if (type === 'SIP_URI') return readUri(address);
  return { kind: 'invalid' };
}

function readNumber(address: string): ReadCustomer {
  if (NUMBER.test(address) && isEmergency(address)) return { kind: 'emergency' };
  const number = possibleNumber(address);
  return number === null ? { kind: 'invalid' } : { kind: 'ok', address: number, addressType: 'E164', number };
}

/**
 * A URI is sent to the carrier unchanged, and carriers dial the digits in its user part. So the user part must be one complete number with
 * `+` (RFC 3966 section 5.1.4), which is checked like any other, or have too few digits to be a number. Without the `+`, a carrier applies
 * its own country's numbering plan: 9002345678 is a premium number in North America, and a Turkish number with the `+`.
 */
function readUri(given: string): ReadCustomer {
  const address = normalSipUri(given);
  const user = readSipUri(address);
  if (!user) return { kind: 'invalid' };
  const digits = user.name.replaceAll(/\D/g, '');
  // Carriers ignore characters they cannot dial: `999*` is 999. With letters it is a name, like `room112`.
  if (!/\p{L}/u.test(user.name) && isEmergency(digits)) return { kind: 'emergency' };
  // Parameters can change the number that is dialled: `;phone-context=+33`, `;rn=…` (RFC 3966 section 5.1.5, RFC 4694).
  if (/\d/.test(user.parameters)) return { kind: 'invalid' };
  if (digits.length < NUMBER_MIN_DIGITS) return { kind: 'ok', address, addressType: 'SIP_URI', number: null };
  const number = user.name.startsWith('+') ? possibleNumber(user.name) : null;
  return number === null ? { kind: 'invalid' } : { kind: 'ok', address, addressType: 'SIP_URI', number };
}

function possibleNumber(text: string): string | null {
  const number = toE164(text, null);
  return number !== null && isPossibleNumber(number) ? number : null;
}
