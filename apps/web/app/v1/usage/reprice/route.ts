import { auditReprice, repriceUsage } from '@clarion/core/usage/reprice-usage';
import { twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

// Each batch of records is a transaction of its own, and all of them may be repeated.
export const POST = twoPhaseEndpoint('repriceUsage', async (ctx, { body }, commit) => {
  const repriced = await repriceUsage(ctx, body);
  return commit(async (inner) => {
    await auditReprice(inner, repriced);
    return repriced;
  });
});
