import { getQueueMembers } from '@clarion/core/queue/find-queues';
import { putQueueMembers } from '@clarion/core/queue/put-members';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putQueueMembers', async (ctx, { path, body }) => ({
  members: await putQueueMembers(ctx, path.tenantRef, path.queueRef, body),
}));
export const GET = endpoint('getQueueMembers', async (ctx, { path }) => ({
  members: await getQueueMembers(ctx, path.tenantRef, path.queueRef),
}));
