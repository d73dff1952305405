import { deleteIvrFlow } from '@clarion/core/ivr-flow/delete-flow';
import { getIvrFlow } from '@clarion/core/ivr-flow/find-flows';
import { putIvrFlow } from '@clarion/core/ivr-flow/put-flow';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putIvrFlow', async (ctx, { path, body }) => ({
  ivrFlow: await putIvrFlow(ctx, path.tenantRef, path.flowRef, body),
}));
export const GET = endpoint('getIvrFlow', async (ctx, { path }) => ({
  ivrFlow: await getIvrFlow(ctx, path.tenantRef, path.flowRef),
}));
export const DELETE = endpoint('deleteIvrFlow', (ctx, { path }) =>
  deleteIvrFlow(ctx, path.tenantRef, path.flowRef),
);
