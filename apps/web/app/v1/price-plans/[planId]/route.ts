import { deletePricePlan, getPricePlan, putPricePlan } from '@clarion/core/price-plan/plans';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getPricePlan', async (ctx, { path }) => ({
  plan: await getPricePlan(ctx, path.planId),
}));

export const PUT = endpoint('putPricePlan', async (ctx, { path, body }) => ({
  plan: await putPricePlan(ctx, path.planId, body),
}));

export const DELETE = endpoint('deletePricePlan', (ctx, { path }) => deletePricePlan(ctx, path.planId));
