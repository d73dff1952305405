import { deleteAgent } from '@clarion/core/agent/delete-agent';
import { getAgent } from '@clarion/core/agent/find-agents';
import { putAgent } from '@clarion/core/agent/put-agent';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putAgent', async (ctx, { path, body }) => ({
  agent: await putAgent(ctx, path.tenantRef, path.agentRef, body),
}));
export const GET = endpoint('getAgent', async (ctx, { path }) => ({
  agent: await getAgent(ctx, path.tenantRef, path.agentRef),
}));
export const DELETE = endpoint('deleteAgent', (ctx, { path }) =>
  deleteAgent(ctx, path.tenantRef, path.agentRef),
);
