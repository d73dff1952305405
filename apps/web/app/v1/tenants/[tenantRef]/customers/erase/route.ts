import { eraseCustomer } from '@clarion/core/call/erase-customer';
import { twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

// Removes files and commits in batches; it is safe to repeat, so only the response is left to store.
export const POST = twoPhaseEndpoint('eraseCustomer', async (ctx, { path, body }, commit) => {
  const erasure = await eraseCustomer(ctx, path.tenantRef, body);
  return commit(async () => erasure);
});
