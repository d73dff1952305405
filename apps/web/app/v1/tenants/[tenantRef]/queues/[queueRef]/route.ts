import { deleteQueue } from '@clarion/core/queue/delete-queue';
import { getQueue } from '@clarion/core/queue/find-queues';
import { putQueue } from '@clarion/core/queue/put-queue';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putQueue', async (ctx, { path, body }) => ({
  queue: await putQueue(ctx, path.tenantRef, path.queueRef, body),
}));
export const GET = endpoint('getQueue', async (ctx, { path }) => ({
  queue: await getQueue(ctx, path.tenantRef, path.queueRef),
}));
export const DELETE = endpoint('deleteQueue', (ctx, { path }) =>
  deleteQueue(ctx, path.tenantRef, path.queueRef),
);
