import { z } from 'zod';

const TEXT_MAX_CHARS = 1000;
/** The database accepts neither NUL nor unpaired surrogates. */
const storable = (given: string) => !given.includes('\0') && given.isWellFormed();
const text = z
  .string()
  .min(1)
  .max(TEXT_MAX_CHARS)
  .refine(storable, { error: 'must be valid Unicode text without null characters' });
const kind = z.enum(['INVITATION', 'RESET']);

export const forgotPasswordBody = z.object({ email: text });
export const readLinkBody = z.object({ kind, token: text });
export const setPasswordBody = z.object({ kind, token: text, password: text });
