import { createRateEntry } from '@clarion/core/rate-deck/change-entries';
import { listRateEntries } from '@clarion/core/rate-deck/find-entries';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listRateEntries', (ctx, { path, query }) =>
  listRateEntries(ctx, path.deckId, query),
);

export const POST = endpoint('createRateEntry', async (ctx, { path, body }) => ({
  entry: await createRateEntry(ctx, path.deckId, body),
}));
