import { ApiError } from '@clarion/protocol';
import type { WhatsAppStatusResource } from '@clarion/protocol/v1/tenant/whatsapp-status';
import { channelOf } from '../channel/channel-of.ts';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { lineChecks } from '../whatsapp-graph/line-checks.ts';
import type { LineReader } from './line-reader.ts';
import { WHATSAPP_EVENTS_KEPT_MS } from './purge-events.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Asks Meta, so never call it in a transaction. @throws 409 unsupported_channel for a line of another type */
export async function getWhatsAppStatus(
  ctx: Ctx,
  reader: LineReader,
  tenantRef: string,
  channelRef: string,
): Promise<WhatsAppStatusResource> {
  const tenant = await tenantOf(ctx, tenantRef);
  const channel = await channelOf(ctx, tenant, channelRef);
  if (channel.type !== 'WHATSAPP') {
    throw new ApiError('unsupported_channel', { message: 'Only WhatsApp lines have a status at WhatsApp.' });
  }
  const [{ reading, at }, lastWebhookAt] = await Promise.all([
    reader.read(channel),
    lastWebhookOf(ctx, channel.id),
  ]);
  const number = reading.number?.kind === 'ok' ? reading.number.value : null;
  return {
    channelRef: channel.ref,
    checkedAt: at.toISOString(),
    displayPhoneNumber: number?.displayPhoneNumber ?? null,
    verifiedName: number?.verifiedName ?? null,
    lastWebhookAt: lastWebhookAt?.toISOString() ?? null,
    checks: lineChecks({
      address: channel.address,
      reading,
      lastWebhookAt,
      webhookDays: WHATSAPP_EVENTS_KEPT_MS / DAY_MS,
    }),
  };
}

async function lastWebhookOf({ db, now }: Ctx, channelId: number): Promise<Date | null> {
  const since = new Date(now.getTime() - WHATSAPP_EVENTS_KEPT_MS);
  const row = await db.whatsAppEvent.findFirst({
    where: { channelId, receivedAt: { gt: since } },
    orderBy: { receivedAt: 'desc' },
    select: { receivedAt: true },
  });
  return row?.receivedAt ?? null;
}
