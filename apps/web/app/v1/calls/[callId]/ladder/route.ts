import { getCallLadder } from '@clarion/core/ladder/get-ladder';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getCallLadder', (ctx, { path, query }) =>
  getCallLadder(ctx, path.callId, query.format),
);
