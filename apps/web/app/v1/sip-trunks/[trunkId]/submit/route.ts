import { submitTrunk } from '@clarion/core/trunk/own-trunk-moves';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('submitTrunk', async (ctx, { path }) => ({
  trunk: await submitTrunk(ctx, path.trunkId),
}));
