import { setTrunkStatus } from '@clarion/core/trunk/own-trunk-moves';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('setTrunkStatus', async (ctx, { path, body }) => ({
  trunk: await setTrunkStatus(ctx, path.trunkId, body.status),
}));
