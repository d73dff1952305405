/** A short-lived token to try an agent's app with; each one issued is recorded (docs/requirements.md#assistant-endpoint, 7). */
import { ApiError } from '@clarion/protocol';
import type { AgentRole } from '@clarion/protocol';
import type { TestTokenResource } from '@clarion/protocol/v1/tenant/agents';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { agentOf } from './agent-of.ts';
import { issueAgentToken } from './issue-agent-token.ts';

/** @throws 404 for an unknown or deleted agent, 402 tenant_suspended, 409 invalid_state without a signing key */
export function issueTestToken(
  ctx: Ctx,
  /** `role` null: the agent's own. */
  request: { tenantRef: string; agentRef: string; role: AgentRole | null; minutes: number },
): Promise<TestTokenResource> {
  return inTransaction(ctx, async (inner) => {
    const tenant = await tenantOf(inner, request.tenantRef);
    const agent = await agentOf(inner, tenant, request.agentRef);
    if (tenant.status === 'SUSPENDED') {
      throw new ApiError('tenant_suspended', {
        message: 'The tenant is SUSPENDED, so its agents cannot connect.',
      });
    }
    const { minutes } = request;
    const role = request.role ?? agent.role;
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
    return {
      token,
      expiresAt: new Date(expiresAt).toISOString(),
      ...named,
      connectTo: inner.settings.baseUrl,
    };
  });
}
