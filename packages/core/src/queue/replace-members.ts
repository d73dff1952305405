/** Replaces the members of a queue as a whole, in the caller's transaction. */
import type { Tenant } from '@clarion/db';
import { invalidField } from '@clarion/protocol';
import type { MemberInput } from '@clarion/protocol/v1/tenant/queues';
import type { Ctx } from '../context.ts';

/** @throws 400 naming the member whose agent is unknown */
export async function replaceMembers(
  { db }: Ctx,
  tenant: Tenant,
  queueId: number,
  members: readonly MemberInput[],
): Promise<void> {
  const agents = await db.agent.findMany({
    where: { tenantId: tenant.id, deletedAt: null, ref: { in: members.map(({ agentRef }) => agentRef) } },
    select: { id: true, ref: true },
  });
  const idOf = new Map(agents.map(({ id, ref }) => [ref, id]));
  const data = members.map(({ agentRef, priority, skills }, index) => {
    const agentId = idOf.get(agentRef);
    if (agentId === undefined) {
      const field = `members[${index}].agent_ref`;
      throw invalidField(field, `${field}: the tenant has no agent ${agentRef}.`);
    }
    return { queueId, agentId, priority, skills };
  });
  // Two replacements at once follow one another.
  await db.$queryRaw`select 1 from "Queue" where "id" = ${queueId} for update`;
  await db.queueMember.deleteMany({ where: { queueId } });
  await db.queueMember.createMany({ data });
}
