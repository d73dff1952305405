import { getAgent } from '@clarion/core/agent/find-agents';
import { issueAgentToken } from '@clarion/core/agent/issue-agent-token';
import { demo } from '@clarion/core/demo-account';
import { invalidField } from '@clarion/protocol';
import { agentField, answerDemo, originOf } from '#lib/demo.ts';
import type { DemoSession } from '#lib/demo.ts';

export const dynamic = 'force-dynamic';

/** 5 to 15 minutes are advised (docs/requirements.md#authentication). */
const TOKEN_SECONDS = 10 * 60;

export const GET = (request: Request) =>
  answerDemo(request, async (ctx): Promise<DemoSession> => {
    const asked = new URL(request.url).searchParams.get('agent') ?? undefined;
    const { data: agentRef } = agentField.safeParse(asked);
    if (agentRef === undefined) throw invalidField('agent', 'agent must be one of the demo account.');
    const { name, role } = await getAgent(ctx, demo.tenantRef, agentRef);
    const claims = { tenantRef: demo.tenantRef, agentRef, name, role, expiresInSeconds: TOKEN_SECONDS };
    return {
      token: await issueAgentToken(ctx, claims),
      baseUrl: originOf(request),
      agentRef,
    };
  });
