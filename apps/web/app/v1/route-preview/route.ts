import { previewRoute } from '@clarion/core/call/preview-route';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('previewRoute', async (ctx, { body }) => ({
  preview: await previewRoute(ctx, body),
}));
