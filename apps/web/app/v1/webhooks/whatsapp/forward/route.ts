import { acceptWhatsAppWebhook } from '@clarion/core/whatsapp/accept-webhook';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const POST = endpoint('forwardWhatsApp', async (ctx, { body }) => {
  await acceptWhatsAppWebhook(ctx, body, ctx.consumer.id);
});
