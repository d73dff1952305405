import { listTrunks } from '@clarion/core/trunk/find-trunks';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listTrunks', async (ctx) => ({
  selfService: ctx.consumer.selfService,
  trunks: await listTrunks(ctx),
}));

export { notBuilt as POST } from '#lib/api/not-built.ts';
