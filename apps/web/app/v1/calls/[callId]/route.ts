import { deleteCall } from '@clarion/core/call/delete-call';
import { getCall } from '@clarion/core/call/get-call';
import { patchCall } from '@clarion/core/call/patch-call';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getCall', (ctx, { path }) => getCall(ctx, path.callId));
export const PATCH = endpoint('patchCall', async (ctx, { path, body }) => ({
  call: await patchCall(ctx, path.callId, body),
}));
export const DELETE = endpoint('deleteCall', (ctx, { path }) => deleteCall(ctx, path.callId));
