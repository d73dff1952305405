import { goLiveCheck } from '@clarion/core/go-live/check';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getChecklist', async (ctx, { query }) => ({
  checklist: await goLiveCheck(ctx, query),
}));
