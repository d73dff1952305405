import { getEmbedSettings, putEmbedSettings } from '@clarion/core/consumer/embed-settings';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const PUT = endpoint('putEmbedSettings', async (ctx, { body }) => ({
  embedSettings: await putEmbedSettings(ctx, body),
}));
export const GET = endpoint('getEmbedSettings', async (ctx) => ({
  embedSettings: await getEmbedSettings(ctx),
}));
