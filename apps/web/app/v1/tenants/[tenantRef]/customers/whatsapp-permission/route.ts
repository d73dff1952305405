import { getWhatsAppPermission } from '@clarion/core/whatsapp/get-permission';
import { requestWhatsAppPermission } from '@clarion/core/whatsapp/request-permission';
import { endpoint } from '#lib/api/wrapper.ts';

export const dynamic = 'force-dynamic';

export const GET = endpoint('getWhatsAppPermission', async (ctx, { path, query }) => ({
  permission: await getWhatsAppPermission(ctx, path.tenantRef, query),
}));

export const POST = endpoint('requestWhatsAppPermission', async (ctx, { path, body }) => ({
  permission: await requestWhatsAppPermission(ctx, path.tenantRef, body),
}));
