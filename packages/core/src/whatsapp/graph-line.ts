/** The credentials of a WhatsApp line, opened only where a request is sent. */
import { z } from 'zod';
import type { SecretBox } from '../security/secret-box.ts';
import type { GraphLine } from './graph-client.ts';

interface SealedLine {
  type: string;
  providerAccountId: string | null;
  credentialsSealed: string | null;
}

const credentials = z.object({ access_token: z.string().min(1) });

/** Null: not a WhatsApp line, or one without an access token. */
export function graphLineOf(secrets: SecretBox, line: SealedLine): GraphLine | null {
  const { type, providerAccountId, credentialsSealed } = line;
  if (type !== 'WHATSAPP' || providerAccountId === null || credentialsSealed === null) return null;
  const opened = credentials.safeParse(JSON.parse(secrets.open('channel-credentials', credentialsSealed)));
  return opened.success ? { phoneNumberId: providerAccountId, accessToken: opened.data.access_token } : null;
}
