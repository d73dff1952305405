import { exportRateDeck } from '@clarion/core/rate-deck/export/export-rate-deck';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('exportRateDeck', (ctx, { path, query }) =>
  exportRateDeck(ctx, path.deckId, query),
);
