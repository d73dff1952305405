import { getRefusalLadder } from '@clarion/core/ladder/get-ladder';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getRefusalLadder', (ctx, { path, query }) =>
  getRefusalLadder(ctx, path, query.format),
);
