import { createApiKey, listApiKeys } from '@clarion/core/consumer/keys';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('createApiKey', (ctx, { body }) => createApiKey(ctx, body));
export const GET = endpoint('listApiKeys', async (ctx) => ({ apiKeys: await listApiKeys(ctx) }));
