/** Asks a customer to allow calls. The message is sent by a job, because nothing outside is called in a request's transaction. */
import { enqueue, Prisma } from '@clarion/db';
import { ApiError } from '@clarion/protocol';
import type {
  RequestWhatsAppPermission,
  WhatsAppPermissionResource,
} from '@clarion/protocol/v1/call/whatsapp-permission';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { graphLineOf } from './graph-line.ts';
import { recordPermission } from './permission-ledger.ts';
import { permissionSubject } from './permission-line.ts';
import { presentPermission } from './present-permission.ts';

/** @throws 402 tenant_suspended; 409 channel_disabled, or unsupported_channel for a line without an access token */
export async function requestWhatsAppPermission(
  ctx: Ctx,
  tenantRef: string,
  input: RequestWhatsAppPermission,
): Promise<WhatsAppPermissionResource> {
  return inTransaction(ctx, async (inner) => {
    const { db, now, consumer } = inner;
    const tenant = await tenantOf(inner, tenantRef);
    if (tenant.status === 'SUSPENDED') {
      throw new ApiError('tenant_suspended', { message: 'The tenant is suspended.' });
    }
    const { channel, address } = await permissionSubject(inner, tenant, input);
    if (channel.status !== 'ACTIVE') throw new ApiError('channel_disabled');
    if (graphLineOf(inner.secrets, channel) === null) {
      throw new ApiError('unsupported_channel', { message: 'The line has no access token.' });
    }
    const line = {
      id: channel.id,
      ref: channel.ref,
      tenant: { id: tenant.id, ref: tenant.ref, consumerId: consumer.id },
    };
    const customer = { address, userId: null };
    const { id } = await recordPermission(db, line, customer, { kind: 'requested', at: now }, now);
    const row = await db.whatsAppPermission.update({
      where: { id },
      data: { requestStatus: 'PENDING', requestFailure: Prisma.DbNull },
    });
    const payload = { permissionId: id, text: input.text };
    await enqueue(db, 'send-permission-request', payload, { key: `send-permission-request:${id}` });
    await audit(inner, {
      action: 'whatsapp_permission.request',
      target: channel.ref,
      tenantId: tenant.id,
    });
    return presentPermission(row, { channelRef: channel.ref, address }, now);
  });
}
