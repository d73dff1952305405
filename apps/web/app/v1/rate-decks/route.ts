import { createRateDeck, listRateDecks } from '@clarion/core/rate-deck/decks';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listRateDecks', async (ctx) => ({ decks: await listRateDecks(ctx) }));

export const POST = endpoint('createRateDeck', async (ctx, { body }) => ({
  deck: await createRateDeck(ctx, body),
}));
