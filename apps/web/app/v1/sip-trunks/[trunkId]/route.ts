import { deleteOwnTrunk } from '@clarion/core/trunk/delete-trunk';
import { getTrunk } from '@clarion/core/trunk/find-trunks';
import { putOwnTrunk } from '@clarion/core/trunk/put-own-trunk';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getTrunk', async (ctx, { path }) => ({
  trunk: await getTrunk(ctx, path.trunkId),
}));
export const PUT = endpoint('putTrunk', async (ctx, { path, body }) => ({
  trunk: await putOwnTrunk(ctx, path.trunkId, body),
}));
export const DELETE = endpoint('deleteTrunk', (ctx, { path }) => deleteOwnTrunk(ctx, path.trunkId));
