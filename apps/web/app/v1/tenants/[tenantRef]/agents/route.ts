import { listAgents } from '@clarion/core/agent/find-agents';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listAgents', async (ctx, { path }) => ({
  agents: await listAgents(ctx, path.tenantRef),
}));
