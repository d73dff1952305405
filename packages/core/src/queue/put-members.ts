/** Replaces the members of a queue. */
import { notifyAfterCommit } from '@clarion/db';
import type { MemberResource, PutMembers } from '@clarion/protocol/v1/tenant/queues';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentMembers } from './present.ts';
import { queueOf } from './queue-of.ts';
import { replaceMembers } from './replace-members.ts';

/** @throws 400 naming the member whose agent is unknown */
export async function putQueueMembers(
  ctx: Ctx,
  tenantRef: string,
  ref: string,
  { members }: PutMembers,
): Promise<MemberResource[]> {
  return inTransaction(ctx, async (inner) => {
    const tenant = await tenantOf(inner, tenantRef);
    const { id } = await queueOf(inner, tenant, ref);
    await replaceMembers(inner, tenant, id, members);
    await audit(inner, {
      action: 'queue.put_members',
      target: ref,
      tenantId: tenant.id,
      details: { members: members.length },
    });
    await notifyAfterCommit(inner.db, 'clarion_queue', id);
    return presentMembers(await queueOf(inner, tenant, ref));
  });
}
