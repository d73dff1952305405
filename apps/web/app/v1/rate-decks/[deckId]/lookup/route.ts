import { lookupRate } from '@clarion/core/rate-deck/find-entries';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('lookupRate', (ctx, { path, query }) => lookupRate(ctx, path.deckId, query));
