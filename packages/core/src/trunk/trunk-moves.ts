/** The operator's decisions on a trunk: a table of allowed moves and a conditional update (docs/requirements.md#trunks). */
import { ApiError, notFound } from '@clarion/protocol';
import type { SipTrunk, TrunkStatus } from '@clarion/db';
import type { OperatorCtx } from '../consumer/operator.ts';
import { forConsumer } from '../consumer/operator.ts';
import { audit, inTransaction } from '../context.ts';
import { recordEvent } from '../event/record-event.ts';
import { presentOwnTrunk, withState } from './present.ts';
import { sharesSources } from './shared-sources.ts';

export type TrunkMove = 'approve' | 'reject' | 'suspend' | 'lift';

const moves: Record<TrunkMove, { from: readonly TrunkStatus[]; to: TrunkStatus }> = {
  // A trunk that the operator created was never submitted, and one whose suspension was lifted is off.
  approve: { from: ['DRAFT', 'PENDING', 'DISABLED'], to: 'ACTIVE' },
  reject: { from: ['PENDING'], to: 'DRAFT' },
  suspend: { from: ['DRAFT', 'PENDING', 'ACTIVE', 'DISABLED'], to: 'SUSPENDED' },
  lift: { from: ['SUSPENDED'], to: 'DISABLED' },
};

/**
 * Changes the trunk's status and records an event for its consumer in the same transaction; a platform trunk has no consumer. A trunk that
 * shares addresses with another owner's must be called at its ingress host: otherwise one owner could receive the other's calls by adding
 * its number.
 *
 * @throws 404, 409 invalid_state, 409 no_addresses
 */
export async function moveTrunk(
  ctx: OperatorCtx,
  id: number,
  move: TrunkMove,
  note: string | null,
): Promise<SipTrunk> {
  const { from, to } = moves[move];
  return inTransaction(ctx, async (inner) => {
    const { db, now } = inner;
    const trunk = await db.sipTrunk.findUnique({ where: { id }, include: { consumer: true } });
    if (!trunk) throw notFound('The trunk');
    if (move === 'approve' && trunk.inboundSourceCidrs.length === 0) throw new ApiError('no_addresses');
    const ingressHostOnly = move === 'approve' && (await sharesSources(db, trunk));
    if (ingressHostOnly && inner.settings.ingressDomain === null) {
      throw new ApiError('invalid_state', {
        message:
          'An active trunk of another owner uses some of these addresses. Set CLARION_INGRESS_DOMAIN so that the carrier can send calls to the ingress host of this trunk.',
      });
    }
    const { count } = await db.sipTrunk.updateMany({
      where: { id, status: { in: [...from] } },
      data: {
        status: to,
        reviewNote: note,
        reviewedAt: now,
        ...(move === 'approve' && { ingressHostOnly }),
      },
    });
    if (count === 0) {
      throw new ApiError('invalid_state', {
        message: `A trunk that is ${trunk.status} cannot be changed to ${to}.`,
      });
    }
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
      await audit(forConsumer(inner, trunk.consumer), {
        action: `trunk.${move}`,
        target: String(id),
        details: { from: trunk.status, to },
      });
    }
    return moved;
  });
}
