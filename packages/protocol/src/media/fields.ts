/** Fields that commands and facts share. */
import { z } from 'zod';

export const legId = z.string().min(1).max(64);
export const callId = z.number().int().positive();
/**
 * The media node's wall-clock time (ISO, ms), which never runs backwards and stays the same when the fact is sent again. It identifies a
 * DTMF digit. The time of a fact follows from it only if the message has no `sent`.
 */
export const at = z.string();
