/**
 * Addresses of WhatsApp customers: a telephone number, or for a person who hides it the business-scoped user ID (BSUID), which Meta issues
 * per business portfolio. Pure.
 */
import { isPossibleNumber } from './destination.ts';
import { isEmergency } from './emergency.ts';
import { toE164 } from './trunk-numbers.ts';

export type WhatsAppCustomer =
  | {
      kind: 'ok';
      /** The form that is stored with calls: `+` and digits, or the user ID. */
      address: string;
      addressType: 'WHATSAPP_USER';
      /** E.164; null for a user ID, whose number is not known. */
      number: string | null;
    }
  | { kind: 'emergency' }
  | { kind: 'invalid' };

/** Country code, a dot and up to 128 letters and digits; `ENT` marks the ID of a portfolio's parent. */
const USER_ID = /^([a-z]{2})\.((?:ent\.)?)([a-z0-9]{1,128})$/i;
const NUMBER = /^\+?[\d\s().-]+$/;

/** Only the last part of the ID distinguishes upper from lower case. Null: not a user ID. */
export function normalUserId(text: string): string | null {
  const [, country, parent, rest] = USER_ID.exec(text.trim()) ?? [];
  if (country === undefined || parent === undefined || rest === undefined) return null;
  return `${country.toUpperCase()}.${parent.toUpperCase()}${rest}`;
}

/** The customer of an outbound call on a WhatsApp line. A number may be given as on a phone line. */
export function readWhatsAppCustomer(given: string): WhatsAppCustomer {
  const userId = normalUserId(given);
  if (userId !== null) return { kind: 'ok', address: userId, addressType: 'WHATSAPP_USER', number: null };
  if (NUMBER.test(given) && isEmergency(given)) return { kind: 'emergency' };
  const number = toE164(given, null);
  if (number === null || !isPossibleNumber(number)) return { kind: 'invalid' };
  return { kind: 'ok', address: number, addressType: 'WHATSAPP_USER', number };
}

/**
 * The address under which a customer in a webhook is stored. The platform writes numbers without `+`. A `wa_id` that is not a number is
 * kept as sent.
 */
export function whatsAppAddress(waId: string | null, userId: string | null): string | null {
  if (waId !== null) return /^\d+$/.test(waId) ? `+${waId}` : waId;
  return userId === null ? null : (normalUserId(userId) ?? userId);
}

/** The recipient of a request to the platform: digits without `+`, or a user ID. */
export const recipientOf = (address: string): { to: string } | { recipient: string } =>
  /^\+?\d+$/.test(address) ? { to: address.replace('+', '') } : { recipient: address };
