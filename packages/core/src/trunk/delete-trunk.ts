/** Deletes a trunk that no line and no live call uses, with its released numbers and its rejected calls. */
import { inUse, notFound } from '@clarion/protocol';
import type { SipTrunk, Tx } from '@clarion/db';
import { auditAsOperator } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { assertNotSuspended, assertSelfService, ownTrunkOf } from './self-service.ts';

/** @throws 403 self_service_off; 404; 409 suspended, in_use naming lines and live calls */
export async function deleteOwnTrunk(ctx: Ctx, id: number): Promise<void> {
  assertSelfService(ctx);
  await inTransaction(ctx, async (inner) => {
    await ownTrunkOf(inner, id);
    await lockForDeletion(inner.db, id);
    const trunk = await ownTrunkOf(inner, id);
    assertNotSuspended(trunk);
    await remove(inner.db, trunk);
    await audit(inner, { action: 'trunk.delete', target: String(id), details: { name: trunk.name } });
  });
}

/** The operator may delete every trunk. @throws 404; 409 in_use */
export async function deleteTrunk(ctx: OperatorCtx, id: number): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    await lockForDeletion(inner.db, id);
    const trunk = await inner.db.sipTrunk.findUnique({ where: { id }, include: { consumer: true } });
    if (!trunk) throw notFound('The trunk');
    await remove(inner.db, trunk);
    await auditAsOperator(inner, trunk.consumer, {
      action: 'trunk.delete',
      target: String(id),
      details: { name: trunk.name },
    });
  });
}

/** Waits for lines that are being saved on the trunk; those that come later wait for the deletion and then do not find it. */
const lockForDeletion = (db: Tx, id: number) =>
  db.$queryRaw`select 1 from "SipTrunk" where "id" = ${id} for update`;

async function remove(db: Tx, { id }: Pick<SipTrunk, 'id'>): Promise<void> {
  const lines = await db.channel.findMany({
    where: { OR: [{ sipTrunkId: id }, { backupSipTrunkId: id }] },
    select: { ref: true, tenant: { select: { ref: true } } },
    orderBy: { id: 'asc' },
  });
  // Usage is recorded when a call ends, with the owner of its trunk.
  const calls = await db.liveCall.findMany({
    where: { call: { sipTrunkId: id } },
    select: { callId: true },
    orderBy: { callId: 'asc' },
  });
  const usedBy = [
    ...lines.map(({ ref, tenant }) => `channel:${tenant.ref}/${ref}`),
    ...calls.map(({ callId }) => `call:${callId}`),
  ];
  if (usedBy.length > 0) throw inUse(usedBy);
  await db.sipTrunk.deleteMany({ where: { id } });
}
