import { putTrunkRateDecks } from '@clarion/core/trunk/put-trunk-rate-decks';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putTrunkRateDecks', (ctx, { path, body }) =>
  putTrunkRateDecks(ctx, path.trunkId, body),
);
