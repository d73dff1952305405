import { listChannels } from '@clarion/core/channel/find-channels';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('listChannels', (ctx, { path, query }) =>
  listChannels(ctx, path.tenantRef, query),
);
