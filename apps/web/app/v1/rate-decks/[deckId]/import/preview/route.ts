import { previewRateImport } from '@clarion/core/rate-deck/import/import-rate-deck';
import { twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = twoPhaseEndpoint('previewRateImport', async (ctx, { path, body }, commit) => {
  const preview = await previewRateImport(ctx, path.deckId, body);
  return commit(() => Promise.resolve(preview));
});
