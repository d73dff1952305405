import type {
  GetWhatsAppPermission,
  WhatsAppPermissionResource,
} from '@clarion/protocol/v1/call/whatsapp-permission';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { findPermission } from './permission-ledger.ts';
import { permissionSubject } from './permission-line.ts';
import { presentPermission } from './present-permission.ts';

/** What is known. Meta is not asked, so a customer of whom nothing was reported is UNKNOWN. */
export async function getWhatsAppPermission(
  ctx: Ctx,
  tenantRef: string,
  query: GetWhatsAppPermission,
): Promise<WhatsAppPermissionResource> {
  const tenant = await tenantOf(ctx, tenantRef);
  const { channel, address } = await permissionSubject(ctx, tenant, query);
  const row = await findPermission(ctx.db, channel.id, { address, userId: null });
  return presentPermission(row, { channelRef: channel.ref, address }, ctx.now);
}
