/** reports/live: what goes on in a tenant's queues now. Every figure: README. */
import type { LiveQueue } from '@clarion/protocol/v1/report/reports';
import { tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { queueFigures } from './queue-figures.ts';

export interface LiveReport {
  queues: LiveQueue[];
  liveCalls: number;
}

export async function reportLive(ctx: Ctx, tenantRef: string): Promise<LiveReport> {
  const { db, now } = ctx;
  const tenant = await tenantOf(ctx, tenantRef);
  const queues = await queueFigures(db, tenant.id);
  return {
    queues: queues.map(({ longestWaitingSince: since, ...queue }) => ({
      ...queue,
      longestWaitSeconds: since && Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000)),
    })),
    liveCalls: await db.liveCall.count({ where: { tenantId: tenant.id } }),
  };
}
