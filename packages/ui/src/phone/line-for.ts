import { isWhatsAppUserId } from '../shared/customer-label.ts';
import type { PhoneCall, PhoneLine } from './model.ts';

/**
 * The line on which the customer of a call is called again: the line of the call, otherwise another one of its channel, otherwise the first.
 * Null if there is none: a WhatsApp user ID can be called from WhatsApp lines only, and a withheld number not at all.
 */
export function lineFor(call: PhoneCall, lines: readonly PhoneLine[]): PhoneLine | null {
  const { customerAddress: address, channel, line: name } = call;
  if (address === null) return null;
  const usable = isWhatsAppUserId(address) ? lines.filter((line) => line.channel === 'WHATSAPP') : lines;
  const ofChannel = usable.filter((line) => !channel || line.channel === channel);
  return ofChannel.find((line) => line.name === name) ?? ofChannel[0] ?? usable[0] ?? null;
}
