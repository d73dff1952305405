/** Finds the WhatsApp line and the customer that a request about a permission names. */
import type { Tenant } from '@clarion/db';
import { ApiError, invalidField } from '@clarion/protocol';
import { findChannel } from '../channel/channel-of.ts';
import type { ChannelRow } from '../channel/channel-of.ts';
import type { Ctx } from '../context.ts';
import { readWhatsAppCustomer } from '../numbers/whatsapp-customer.ts';

/** @throws 400 if the line does not exist or the address is not one of a WhatsApp customer; 409 unsupported_channel for another line */
export async function permissionSubject(
  ctx: Ctx,
  tenant: Tenant,
  { channelRef, address }: { channelRef: string; address: string },
): Promise<{ channel: ChannelRow; address: string }> {
  const channel = await findChannel(ctx, tenant, channelRef);
  if (!channel) throw invalidField('channel_ref', `channel_ref: the tenant has no line ${channelRef}.`);
  if (channel.type !== 'WHATSAPP') {
    throw new ApiError('unsupported_channel', {
      message: 'Only customers of WhatsApp lines have permissions.',
    });
  }
  const customer = readWhatsAppCustomer(address);
  if (customer.kind !== 'ok') {
    throw invalidField('address', 'address must be a WhatsApp number such as +12185552828, or a user ID.');
  }
  return { channel, address: customer.address };
}
