/** The operator's decisions on a trunk: a table of allowed moves and a conditional update (docs/requirements.md#trunks). */
import { ApiError, invalidField, notFound } from '@clarion/protocol';
import type { SipTrunk, TrunkStatus } from '@clarion/db';
import { auditAsOperator } from '../consumer/operator.ts';
import type { OperatorCtx } from '../consumer/operator.ts';
import { inTransaction } from '../context.ts';
import { recordEvent } from '../event/record-event.ts';
import { presentOwnTrunk, withState } from './present.ts';
import { updateIngressHostOnly } from './shared-sources.ts';

export type TrunkMove = 'approve' | 'reject' | 'suspend' | 'lift';

const moves: Record<TrunkMove, { from: readonly TrunkStatus[]; to: TrunkStatus }> = {
  // A trunk that the operator created was never submitted, and one whose suspension was lifted is off.
  approve: { from: ['DRAFT', 'PENDING', 'DISABLED'], to: 'ACTIVE' },
  reject: { from: ['PENDING'], to: 'DRAFT' },
  suspend: { from: ['DRAFT', 'PENDING', 'ACTIVE', 'DISABLED'], to: 'SUSPENDED' },
  lift: { from: ['SUSPENDED'], to: 'DISABLED' },
};

/**
 * Changes the trunk's status and records an event for its consumer in the same transaction; a platform trunk has no consumer.
 *
 * @throws 404; 409 invalid_state, no_addresses; 400 note: a rejection without a reason does not help the owner
 */
export async function moveTrunk(
  ctx: OperatorCtx,
  id: number,
  move: TrunkMove,
  note: string | null,
): Promise<SipTrunk> {
  if (move === 'reject' && !note?.trim()) throw invalidField('note', 'note is required to reject a trunk.');
  const { from, to } = moves[move];
  return inTransaction(ctx, async (inner) => {
    const { db, now } = inner;
    // The trunk before the lock on approvals, in the order of every other change of a trunk.
    await db.$queryRaw`select 1 from "SipTrunk" where "id" = ${id} for no key update`;
    const trunk = await db.sipTrunk.findUnique({ where: { id }, include: { consumer: true } });
    if (!trunk) throw notFound('The trunk');
    if (move === 'approve' && trunk.inboundSourceCidrs.length === 0) throw new ApiError('no_addresses');
    if (!from.includes(trunk.status)) {
      throw new ApiError('invalid_state', {
        message: `A trunk that is ${trunk.status} cannot be changed to ${to}.`,
      });
    }
    // A trunk whose `updatedAt` is later than its review was changed after it.
    const data = { status: to, reviewNote: note, reviewedAt: now, updatedAt: now };
    await updateIngressHostOnly(inner, await db.sipTrunk.update({ where: { id }, data }), {
      ifImpossible: (message) => new ApiError('invalid_state', { message }),
    });
    const moved = await db.sipTrunk.findUniqueOrThrow({ where: { id }, include: withState });
    if (trunk.consumer) {
      await recordEvent(db, {
        type: 'sip_trunk.status_changed',
        data: { trunk: presentOwnTrunk(moved, inner.settings.ingressDomain) },
        consumerId: trunk.consumer.id,
        tenant: null,
        occurredAt: now,
        now,
      });
    }
    await auditAsOperator(inner, trunk.consumer, {
      action: `trunk.${move}`,
      target: String(id),
      details: { from: trunk.status, to },
    });
    return moved;
  });
}
