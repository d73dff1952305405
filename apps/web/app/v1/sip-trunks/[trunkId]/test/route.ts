import { testTrunk } from '@clarion/core/trunk/test-trunk';
import { twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = twoPhaseEndpoint('testTrunk', async (ctx, { path }, commit) => {
  const result = await testTrunk(ctx, path.trunkId);
  return commit(async () => result);
});
