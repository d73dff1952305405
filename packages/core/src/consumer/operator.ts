/** The context of the operator's verbs, and of verbs that the operator runs for one consumer. */
import type { Consumer } from '@clarion/db';
import { notFound } from '@clarion/protocol';
import { auditRow } from '../context.ts';
import type { AuditedChange, Ctx } from '../context.ts';

export type OperatorCtx = Omit<Ctx, 'consumer'>;

export const forConsumer = (ctx: OperatorCtx, consumer: Consumer): Ctx => ({ ...ctx, consumer });

export async function consumerOf(ctx: OperatorCtx, slug: string): Promise<Consumer> {
  const consumer = await ctx.db.consumer.findUnique({ where: { slug } });
  if (!consumer) throw notFound(`The consumer ${slug}`);
  return consumer;
}

/** Runs in a transaction. Serialises changes of the account's price plan and of its billing account; its calls and requests are not blocked. */
export async function lockConsumer(ctx: OperatorCtx, slug: string): Promise<Consumer> {
  await ctx.db.$queryRaw`select 1 from "Consumer" where "slug" = ${slug} for no key update`;
  return consumerOf(ctx, slug);
}

/** Records a change of the operator. Without an account, such as of a platform trunk, only the operator can read the entry. */
export async function auditAsOperator(
  ctx: OperatorCtx,
  consumer: { id: number } | null,
  entry: AuditedChange,
): Promise<void> {
  await ctx.db.auditEntry.create({ data: auditRow({ ...ctx, consumer }, entry) });
}
