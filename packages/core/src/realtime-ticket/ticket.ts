/**
 * The ticket with which a dashboard page connects to realtime (namespace `/dashboard`): `<base64url of JSON>.<HMAC-SHA256>`, signed with a
 * key for this purpose only. It names a session and a tenant, which are checked when the ticket is used.
 */
import { z } from 'zod';
import type { SecretBox } from '../security/secret-box.ts';

/** From its creation to the connection; a reconnection requests a new one. */
export const REALTIME_TICKET_SECONDS = 60;

const contents = z.strictObject({
  sessionId: z.number().int().positive(),
  tenantId: z.number().int().positive(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number().int(),
});
export type RealtimeTicket = z.infer<typeof contents>;

export function writeTicket(secrets: SecretBox, ticket: RealtimeTicket): string {
  const body = Buffer.from(JSON.stringify(ticket)).toString('base64url');
  return `${body}.${secrets.sign('realtime-ticket', body)}`;
}

/** Null: invalid signature, or expired. */
export function readTicket(secrets: SecretBox, text: string, now: Date): RealtimeTicket | null {
  const [body, signature, ...more] = text.split('.');
  if (body === undefined || signature === undefined || more.length > 0) return null;
  if (!secrets.isSigned('realtime-ticket', body, signature)) return null;
  const ticket = contents.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  return ticket.success && ticket.data.expiresAt > now.getTime() ? ticket.data : null;
}
