import { createCall } from '@clarion/core/call/create-call';
import { listCalls } from '@clarion/core/call/list-calls';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('createCall', async (ctx, { path, body }) => ({
  call: await createCall(ctx, path.tenantRef, body),
}));
export const GET = endpoint('listCalls', (ctx, { path, query }) => listCalls(ctx, path.tenantRef, query));
