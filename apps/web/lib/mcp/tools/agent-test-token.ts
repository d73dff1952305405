/** A short-lived agent token to try things out with. */
import { issueTestToken } from '@clarion/core/agent/issue-test-token';
import { agentRoles } from '@clarion/protocol';
import { TEST_TOKEN_MINUTES } from '@clarion/protocol/v1/tenant/agents';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { contextOf } from '#lib/api/context.ts';
import { runtime } from '#lib/api/runtime.ts';
import type { FindCaller } from '../caller.ts';
import { answering, apiResult, data } from '../tool-result.ts';

const OK = 200;

export function registerAgentTestToken(server: McpServer, findCaller: FindCaller): void {
  server.registerTool(
    'agent_test_token',
    {
      title: 'Sign an agent test token',
      description:
        "Issues a short-lived token that lets the app of one agent connect. Every token issued is recorded in the audit log. The role is applied on connect and replaces the agent's role. A SUPERVISOR token can listen to the tenant's live calls, so request AGENT unless you are testing supervisor features.",
      inputSchema: z.object({
        tenant_ref: z.string().min(1),
        agent_ref: z.string().min(1),
        role: z.enum(agentRoles).default('AGENT'),
        minutes: z
          .number()
          .int()
          .min(TEST_TOKEN_MINUTES.min)
          .max(TEST_TOKEN_MINUTES.max)
          .default(TEST_TOKEN_MINUTES.default),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    ({ tenant_ref: tenantRef, agent_ref: agentRef, role, minutes }) =>
      answering(async () => {
        const { consumer, actor, account } = await findCaller();
        const path = `/v1/tenants/${encodeURIComponent(tenantRef)}/agents/${encodeURIComponent(agentRef)}`;
        const agent = await account.request({ method: 'GET', path });
        if (agent.status !== OK) return apiResult(agent);
        const ctx = contextOf(runtime(), { consumer, actor, surface: 'mcp' });
        return data(await issueTestToken(ctx, { tenantRef, agentRef, role, minutes }));
      }),
  );
}
