import { deleteRateEntry, putRateEntry } from '@clarion/core/rate-deck/change-entries';
import { getRateEntry } from '@clarion/core/rate-deck/find-entries';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getRateEntry', async (ctx, { path }) => ({
  entry: await getRateEntry(ctx, path.deckId, path.entryId),
}));

export const PUT = endpoint('putRateEntry', async (ctx, { path, body }) => ({
  entry: await putRateEntry(ctx, path.deckId, path.entryId, body),
}));

export const DELETE = endpoint('deleteRateEntry', async (ctx, { path }) => ({
  entry: await deleteRateEntry(ctx, path.deckId, path.entryId),
}));
