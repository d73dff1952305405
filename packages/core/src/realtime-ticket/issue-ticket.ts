/** POST /v1/realtime-tickets: issues a ticket for a dashboard page to watch one tenant. It changes nothing, so there is no audit entry. */
import { ApiError } from '@clarion/protocol';
import { tenantOfBody } from '../context.ts';
import type { Ctx } from '../context.ts';
import { sessionOf } from '../session/signed-in.ts';
import { REALTIME_TICKET_SECONDS, writeTicket } from './ticket.ts';

/** @throws 403 forbidden for an API key, 400 naming `tenant_ref` if this person cannot see the tenant, 402 tenant_suspended */
export async function issueRealtimeTicket(
  ctx: Ctx,
  { tenantRef }: { tenantRef: string },
): Promise<{ ticket: string; expiresAt: string }> {
  const { id: sessionId } = sessionOf(ctx);
  const tenant = await tenantOfBody(ctx, tenantRef);
  if (tenant.status === 'SUSPENDED') throw new ApiError('tenant_suspended');
  const expiresAt = ctx.now.getTime() + REALTIME_TICKET_SECONDS * 1000;
  const ticket = writeTicket(ctx.secrets, { sessionId, tenantId: tenant.id, expiresAt });
  return { ticket, expiresAt: new Date(expiresAt).toISOString() };
}
