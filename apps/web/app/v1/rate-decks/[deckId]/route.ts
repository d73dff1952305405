import { getRateDeck } from '@clarion/core/rate-deck/deck-detail';
import { deleteRateDeck, putRateDeck } from '@clarion/core/rate-deck/decks';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getRateDeck', (ctx, { path }) => getRateDeck(ctx, path.deckId));

export const PUT = endpoint('putRateDeck', async (ctx, { path, body }) => ({
  deck: await putRateDeck(ctx, path.deckId, body),
}));

export const DELETE = endpoint('deleteRateDeck', (ctx, { path }) => deleteRateDeck(ctx, path.deckId));
