import { createPricePlan, listPricePlans } from '@clarion/core/price-plan/plans';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listPricePlans', async (ctx) => ({ plans: await listPricePlans(ctx) }));

export const POST = endpoint('createPricePlan', async (ctx, { body }) => ({
  plan: await createPricePlan(ctx, body),
}));
