/**
 * The permission ledger: applies an event to the row of a line and a customer, in the transaction of the event. A change that a consumer's
 * backend must know is recorded as `whatsapp.permission_changed`.
 */
import type { Tx, WhatsAppPermission } from '@clarion/db';
import { recordEvent } from '../event/record-event.ts';
import { applyPermission } from '../whatsapp-graph/permission.ts';
import type { PermissionEvent } from '../whatsapp-graph/permission.ts';
import { presentPermission, stateOf } from './present-permission.ts';

export interface LedgerLine {
  id: number;
  ref: string;
  tenant: { id: number; ref: string; consumerId: number };
}

export interface LedgerCustomer {
  /** As stored with calls. */
  address: string;
  userId: string | null;
}

/** Finds the row of a customer who may be known by number, by user ID, or by both. */
export async function findPermission(
  tx: Tx,
  channelId: number,
  { address, userId }: LedgerCustomer,
): Promise<WhatsAppPermission | null> {
  const rows = await tx.whatsAppPermission.findMany({
    where: {
      channelId,
      OR: [
        { customerAddress: address },
        { userId: address },
        ...(userId === null ? [] : [{ userId }, { customerAddress: userId }]),
      ],
    },
    orderBy: { id: 'asc' },
  });
  return rows.find((row) => row.customerAddress === address) ?? rows[0] ?? null;
}

/** Locks the row until the transaction ends, after creating it if necessary. */
async function lockPermission(
  tx: Tx,
  channelId: number,
  customer: LedgerCustomer,
  now: Date,
): Promise<WhatsAppPermission> {
  const { address, userId } = customer;
  const known = await findPermission(tx, channelId, customer);
  // Until now the customer was known by user ID only. The number becomes the address, as in calls.
  const isNumberNew = known !== null && known.customerAddress === userId && address !== userId;
  if (isNumberNew) {
    await tx.whatsAppPermission.updateMany({
      where: { id: known.id },
      data: { customerAddress: address, userId },
    });
  }
  const customerAddress = isNumberNew ? address : (known?.customerAddress ?? address);
  await tx.$executeRaw`
    insert into "WhatsAppPermission" ("channelId", "customerAddress", "userId", "updatedAt")
    values (${channelId}, ${customerAddress}, ${userId}, ${now})
    on conflict ("channelId", "customerAddress")
      do update set "userId" = coalesce(excluded."userId", "WhatsAppPermission"."userId"), "updatedAt" = ${now}`;
  return tx.whatsAppPermission.findUniqueOrThrow({
    where: { channelId_customerAddress: { channelId, customerAddress } },
  });
}

/** @returns the row after the event */
export async function recordPermission(
  tx: Tx,
  line: LedgerLine,
  customer: LedgerCustomer,
  event: PermissionEvent,
  now: Date,
): Promise<WhatsAppPermission> {
  const row = await lockPermission(tx, line.id, customer, now);
  const before = stateOf(row);
  const state = applyPermission(before, event);
  const changed = await tx.whatsAppPermission.update({ where: { id: row.id }, data: state });
  const isNews = state.status !== before.status || state.expiresAt?.getTime() !== before.expiresAt?.getTime();
  if (isNews) {
    const { tenant } = line;
    const shown = { channelRef: line.ref, address: changed.customerAddress };
    await recordEvent(tx, {
      type: 'whatsapp.permission_changed',
      data: { permission: presentPermission(changed, shown, now) },
      consumerId: tenant.consumerId,
      tenant: { id: tenant.id, ref: tenant.ref },
      occurredAt: event.at,
      now,
    });
  }
  return changed;
}
