import { commitPrepared } from '@clarion/core/prepared';
import { createOwnTrunk } from '@clarion/core/trunk/create-own-trunk';
import { listTrunks } from '@clarion/core/trunk/find-trunks';
import { endpoint, twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listTrunks', async (ctx) => ({
  selfService: ctx.consumer.selfService,
  trunks: await listTrunks(ctx),
}));
// Host names are looked up outside the transaction.
export const POST = twoPhaseEndpoint('createTrunk', async (ctx, { body }, commit) => {
  const prepared = await createOwnTrunk(ctx, body);
  return commitPrepared(prepared, (trunk) => commit(async (inner) => ({ trunk: await trunk.commit(inner) })));
});
