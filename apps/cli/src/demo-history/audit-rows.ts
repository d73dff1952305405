/** The audit entries of these two weeks: small changes by the consumer's API key and by agents. Pure. */
import type { Prisma } from '@clarion/db';
import type { AuditAction } from '@clarion/core/audit-actions';
import type { Ctx } from '@clarion/core/context';
import type { EntityIds } from './call-rows.ts';
import type { PlannedCall } from './plan.ts';

/** The consumer adds its own reference to one of this many calls. */
const PATCHED_EVERY = 45;
const PATCH_DELAY_MS = 40_000;

export function auditRows(
  { consumer }: Pick<Ctx, 'consumer'>,
  world: EntityIds,
  calls: readonly PlannedCall[],
  ids: readonly number[],
): Prisma.AuditEntryCreateManyInput[] {
  const base = { consumerId: consumer.id, tenantId: world.tenantId };
  const patched = calls.flatMap((call, i) => {
    if (i % PATCHED_EVERY !== PATCHED_EVERY - 1) return [];
    const action: AuditAction = 'call.patch';
    const at = new Date(call.endedAt + PATCH_DELAY_MS);
    return [
      { ...base, actorKind: 'apiKey', actorId: '1', surface: 'api', action, target: String(ids[i]), at },
    ];
  });
  const disturbed = calls.flatMap((call, i) => {
    if (call.answeredBy === null || i % 60 !== 0) return [];
    const action: AuditAction = 'agent.put_do_not_disturb';
    const about = { action, target: call.answeredBy, surface: 'socket', details: { enabled: true } };
    const actorId = String(world.agents[call.answeredBy]);
    return [{ ...base, actorKind: 'agent', actorId, ...about, at: new Date(call.endedAt + 1_000) }];
  });
  // The audit log is ordered by ID.
  return [...patched, ...disturbed].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}
