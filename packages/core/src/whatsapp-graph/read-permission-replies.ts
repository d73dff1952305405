/**
 * Parses the customers' replies to call permission requests from WhatsApp's webhook JSON. They are messages, not calls: the change's field
 * is `messages`. Pure, and never throws. Other messages are not read further than their type.
 */
import { z } from 'zod';
import { whatsAppAddress } from '../numbers/whatsapp-customer.ts';
import {
  changesOf,
  dateOf,
  list,
  lowerWord,
  MAX_EXAMINED_ENTRIES,
  metadata,
  moment,
  readable,
  shortText,
} from './webhook-fields.ts';
import type { EntryLimit } from './webhook-fields.ts';

/** Far more than the platform batches. */
export const MAX_REPLIES_PER_WEBHOOK = 1000;

export interface PermissionReply {
  /** The provider_account_id of the line. */
  phoneNumberId: string;
  /** As stored with calls: `+` and digits, or the user ID. */
  customerAddress: string;
  userId: string | null;
  accepted: boolean;
  permanent: boolean;
  /** When an accepted temporary permission ends. */
  expiresAt: Date | null;
  /** The customer changed nothing: WhatsApp granted it, for example because they called the business. */
  automatic: boolean;
  /** Null: the webhook has no valid timestamp. */
  occurredAt: Date | null;
}

const reply = z.object({
  from: shortText,
  from_user_id: shortText,
  timestamp: moment,
  type: lowerWord.pipe(z.literal('interactive')),
  interactive: z.object({
    type: lowerWord.pipe(z.literal('call_permission_reply')),
    call_permission_reply: z.object({
      response: lowerWord.pipe(z.enum(['accept', 'reject'])),
      is_permanent: z.boolean().catch(false).default(false),
      expiration_timestamp: moment,
      response_source: shortText,
    }),
  }),
});

const messagesChange = z.object({
  field: z.literal('messages'),
  value: z.object({ metadata: metadata, messages: list }),
});

export function readPermissionReplies(webhook: unknown): PermissionReply[] {
  const replies: PermissionReply[] = [];
  const limit: EntryLimit = { left: MAX_EXAMINED_ENTRIES };
  for (const { value } of changesOf(webhook, messagesChange, limit)) {
    for (const message of readable(reply, value.messages, limit)) {
      const read = replyOf(value.metadata.phone_number_id, message);
      if (read) replies.push(read);
      if (replies.length >= MAX_REPLIES_PER_WEBHOOK) return replies;
    }
  }
  return replies;
}

/** Null: it does not say who replied. */
function replyOf(phoneNumberId: string, message: z.output<typeof reply>): PermissionReply | null {
  const { response, is_permanent, expiration_timestamp, response_source } =
    message.interactive.call_permission_reply;
  const customerAddress = whatsAppAddress(message.from, message.from_user_id);
  if (customerAddress === null) return null;
  return {
    phoneNumberId,
    customerAddress,
    userId: message.from_user_id,
    accepted: response === 'accept',
    permanent: response === 'accept' && is_permanent,
    expiresAt: response === 'accept' && !is_permanent ? dateOf(expiration_timestamp) : null,
    automatic: response_source?.toLowerCase() === 'automatic',
    occurredAt: dateOf(message.timestamp),
  };
}
