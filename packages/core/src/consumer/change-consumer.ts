/** The operator's changes to an account. */
import type { Prisma } from '@clarion/db';
import type { AuditAction } from '../audit-actions.ts';
import { audit, inTransaction } from '../context.ts';
import { consumerOf, forConsumer } from './operator.ts';
import type { OperatorCtx } from './operator.ts';
import { presentConsumer } from './present.ts';
import type { ConsumerView } from './present.ts';

export interface ConsumerChange {
  name?: string;
  status?: ConsumerView['status'];
  selfService?: ConsumerView['selfService'];
  recordingEnabled?: boolean;
}

export async function changeConsumer(
  ctx: OperatorCtx,
  slug: string,
  change: ConsumerChange,
): Promise<ConsumerView> {
  return updateConsumer(ctx, slug, 'consumer.set', change);
}

/** Writes the columns, and an audit entry that names them. */
export async function updateConsumer(
  ctx: OperatorCtx,
  slug: string,
  action: AuditAction,
  data: Prisma.ConsumerUncheckedUpdateInput,
): Promise<ConsumerView> {
  return inTransaction(ctx, async (inner) => {
    const { id } = await consumerOf(inner, slug);
    const consumer = await inner.db.consumer.update({ where: { id }, data });
    await audit(forConsumer(inner, consumer), {
      action,
      target: slug,
      details: Object.fromEntries(Object.entries(data).map(([field, value]) => [field, String(value)])),
    });
    return presentConsumer(consumer);
  });
}

export async function listConsumers({ db }: OperatorCtx): Promise<ConsumerView[]> {
  return (await db.consumer.findMany({ orderBy: { id: 'asc' } })).map(presentConsumer);
}
