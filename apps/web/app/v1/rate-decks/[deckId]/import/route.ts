import { commitPrepared } from '@clarion/core/prepared';
import {
  IMPORT_LIMITS,
  importRateDeck,
  previewRateImport,
} from '@clarion/core/rate-deck/import/import-rate-deck';
import { twoPhaseEndpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

// The file is read and staged outside the transaction.
export const POST = twoPhaseEndpoint('importRateDeck', async (ctx, { path, body }, commit) => {
  if (body.dryRun) {
    const preview = await previewRateImport(ctx, path.deckId, body);
    return commit(() => Promise.resolve(preview));
  }
  const prepared = await importRateDeck(ctx, path.deckId, body);
  return commitPrepared(prepared, (sheet) =>
    commit(async (inner) => ({ import: await sheet.commit(inner) }), IMPORT_LIMITS),
  );
});
