import { invalidField } from '@clarion/protocol';
import { z } from 'zod';

const EMAIL_MAX_CHARS = 254;
const email = z.email().max(EMAIL_MAX_CHARS);

/** The normalised form by which an address is stored and found, however it is typed. */
export const normalEmail = (given: string): string => given.trim().toLowerCase();

/** @throws 400 on `email` */
export function readEmail(given: string): string {
  const normal = normalEmail(given);
  if (!email.safeParse(normal).success) throw invalidField('email', 'This is not a valid email address.');
  return normal;
}
