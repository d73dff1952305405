/** A short-lived token to try an agent's app with; each one issued is recorded (spec, Assistant endpoint). */
import { ApiError } from '@clarion/protocol';
import type { AgentRole } from '@clarion/protocol';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { agentOf } from './agent-of.ts';
import { issueAgentToken } from './issue-agent-token.ts';

/** Spec, Limits: Test token. */
export const TEST_TOKEN_MINUTES = { min: 1, max: 60, default: 15 } as const;

export interface TestToken {
  token: string;
  /** ISO 8601 */
  expiresAt: string;
  tenantRef: string;
  agentRef: string;
  role: AgentRole;
}

/** @throws 404 for an unknown or deleted agent, 402 tenant_suspended, 409 invalid_state without a signing key */
export function issueTestToken(
  ctx: Ctx,
  request: { tenantRef: string; agentRef: string; role: AgentRole; minutes: number },
): Promise<TestToken> {
  return inTransaction(ctx, async (inner) => {
    const tenant = await tenantOf(inner, request.tenantRef);
    const agent = await agentOf(inner, tenant, request.agentRef);
    if (tenant.status === 'SUSPENDED') {
      throw new ApiError('tenant_suspended', {
        message: 'The tenant is SUSPENDED: its agents cannot connect.',
      });
    }
    const { minutes, role } = request;
    const expiresInSeconds = minutes * 60;
    const named = { tenantRef: tenant.ref, agentRef: agent.ref, role };
    const token = await issueAgentToken(inner, { ...named, name: agent.name, expiresInSeconds });
    await audit(inner, {
      action: 'agent.test_token',
      target: agent.ref,
      tenantId: tenant.id,
      details: { role, minutes },
    });
    const expiresAt = (Math.floor(inner.now.getTime() / 1000) + expiresInSeconds) * 1000;
    return { token, expiresAt: new Date(expiresAt).toISOString(), ...named };
  });
}
