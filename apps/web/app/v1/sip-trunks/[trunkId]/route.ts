import { getTrunk } from '@clarion/core/trunk/find-trunks';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getTrunk', async (ctx, { path }) => ({
  trunk: await getTrunk(ctx, path.trunkId),
}));

export { notBuilt as DELETE, notBuilt as PUT } from '#lib/api/not-built.ts';
