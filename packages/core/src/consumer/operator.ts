/** The context of the operator's verbs, and of verbs that the operator runs for one consumer. */
import type { Consumer } from '@clarion/db';
import { notFound } from '@clarion/protocol';
import type { Ctx } from '../context.ts';

export type OperatorCtx = Omit<Ctx, 'consumer'>;

export const forConsumer = (ctx: OperatorCtx, consumer: Consumer): Ctx => ({ ...ctx, consumer });

export async function consumerOf(ctx: OperatorCtx, slug: string): Promise<Consumer> {
  const consumer = await ctx.db.consumer.findUnique({ where: { slug } });
  if (!consumer) throw notFound(`The consumer ${slug}`);
  return consumer;
}
