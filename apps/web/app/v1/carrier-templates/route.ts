import { listTemplates } from '@clarion/core/trunk/carrier-templates';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listCarrierTemplates', async (ctx) => ({
  templates: await listTemplates(ctx),
}));
