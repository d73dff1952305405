import { z } from 'zod';

const TEXT_MAX_CHARS = 1000;
const text = z.string().min(1).max(TEXT_MAX_CHARS);
const kind = z.enum(['INVITATION', 'RESET']);

export const forgotPasswordBody = z.object({ email: text });
export const readLinkBody = z.object({ kind, token: text });
export const setPasswordBody = z.object({ kind, token: text, password: text });
