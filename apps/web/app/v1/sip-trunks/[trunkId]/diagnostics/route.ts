import { trunkDiagnostics } from '@clarion/core/trunk/trunk-diagnostics';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getTrunkDiagnostics', async (ctx, { path }) => ({
  diagnostics: await trunkDiagnostics(ctx, path.trunkId),
}));
