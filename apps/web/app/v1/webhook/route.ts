import { getWebhook, putWebhook } from '@clarion/core/event/put-webhook';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putWebhook', (ctx, { body }) => putWebhook(ctx, body));
export const GET = endpoint('getWebhook', async (ctx) => ({ webhook: await getWebhook(ctx) }));
