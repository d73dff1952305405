import { getWhatsAppStatus } from '@clarion/core/whatsapp/get-status';
import { runtime } from '#lib/api/runtime.ts';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getWhatsAppStatus', async (ctx, { path }) => ({
  whatsAppStatus: await getWhatsAppStatus(ctx, runtime().lineReader, path.tenantRef, path.channelRef),
}));
