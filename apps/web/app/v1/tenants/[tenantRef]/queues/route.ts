import { listQueues } from '@clarion/core/queue/find-queues';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listQueues', async (ctx, { path }) => ({
  queues: await listQueues(ctx, path.tenantRef),
}));
