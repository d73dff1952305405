/** Fields that commands and facts share. */
import { z } from 'zod';

export const legId = z.string().min(1).max(64);
/** Positive: a Call. Negative: a forwarded call (forwarded-call-id.ts). */
export const callId = z
  .number()
  .int()
  .refine((id) => id !== 0);
/**
 * The media node's wall-clock time (ISO, ms), which never runs backwards and stays the same when the fact is sent again. It identifies a
 * DTMF digit. The time of a fact follows from it only if the message has no `sent`.
 */
export const at = z.string();
