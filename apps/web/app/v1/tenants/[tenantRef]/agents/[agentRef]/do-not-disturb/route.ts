import { putDoNotDisturb } from '@clarion/core/agent/put-do-not-disturb';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putDoNotDisturb', async (ctx, { path, body }) => ({
  agent: await putDoNotDisturb(ctx, path.tenantRef, path.agentRef, body),
}));
