/** Signs an agent token as a consumer's backend would: for the demo account and for test tokens. */
import { ApiError } from '@clarion/protocol';
import type { AgentRole } from '@clarion/protocol';
import { SignJWT } from 'jose';
import type { Ctx } from '../context.ts';

export interface TokenRequest {
  tenantRef: string;
  agentRef: string;
  name: string;
  role: AgentRole;
  expiresInSeconds: number;
}

/** @throws 409 invalid_state when the consumer has no signing key */
export async function issueAgentToken(ctx: Ctx, request: TokenRequest): Promise<string> {
  const { consumer, db, now, secrets } = ctx;
  const key = await db.signingKey.findFirst({
    where: { consumerId: consumer.id, revokedAt: null },
    orderBy: { id: 'desc' },
  });
  if (!key) throw new ApiError('invalid_state', { message: 'The account has no signing key.' });
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({ tnt: request.tenantRef, name: request.name, role: request.role })
    .setProtectedHeader({ alg: 'HS256', kid: key.kid })
    .setIssuer(consumer.slug)
    .setSubject(request.agentRef)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + request.expiresInSeconds)
    .sign(new TextEncoder().encode(secrets.open('signing-key', key.secretSealed)));
}
