import { listIvrFlows } from '@clarion/core/ivr-flow/find-flows';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listIvrFlows', async (ctx, { path }) => ({
  ivrFlows: await listIvrFlows(ctx, path.tenantRef),
}));
