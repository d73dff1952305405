/** The consumer's moves of its trunk between statuses (docs/requirements.md#trunks). They record no event: the operator decided nothing. */
import { ApiError } from '@clarion/protocol';
import type { OwnTrunkResource } from '@clarion/protocol/v1/tenant/trunks';
import type { Prisma, SipTrunk, TrunkStatus } from '@clarion/db';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { presentOwnTrunk, withState } from './present.ts';
import { assertSelfService, lockOwnTrunk } from './self-service.ts';
import { updateIngressHostOnly } from './shared-sources.ts';

type OwnMove = 'submit' | 'activate' | 'disable';

const from: Record<OwnMove, TrunkStatus> = { submit: 'DRAFT', activate: 'DISABLED', disable: 'ACTIVE' };

/** PENDING until the operator decides, or ACTIVE if the account needs no approval. @throws 403, 404, 409 invalid_state, no_addresses */
export const submitTrunk = (ctx: Ctx, id: number): Promise<OwnTrunkResource> => move(ctx, id, 'submit');

/** @throws 403 self_service_off; 404; 409 invalid_state, no_addresses */
export const setTrunkStatus = (
  ctx: Ctx,
  id: number,
  status: 'ACTIVE' | 'DISABLED',
): Promise<OwnTrunkResource> => move(ctx, id, status === 'ACTIVE' ? 'activate' : 'disable');

async function move(ctx: Ctx, id: number, which: OwnMove): Promise<OwnTrunkResource> {
  assertSelfService(ctx);
  return inTransaction(ctx, async (inner) => {
    const { db } = inner;
    const trunk = await lockOwnTrunk(inner, id);
    const to = targetOf(inner, which);
    if (trunk.status !== from[which])
      throw impossible(`A trunk that is ${trunk.status} cannot become ${to}.`);
    if (which !== 'disable' && trunk.inboundSourceCidrs.length === 0) throw new ApiError('no_addresses');
    await db.sipTrunk.update({ where: { id }, data: { status: to, ...reviewOf(inner, trunk, which) } });
    // Another owner's trunk with the same addresses may have become active meanwhile.
    await updateIngressHostOnly(inner, { ...trunk, status: to }, { ifImpossible: impossible });
    await audit(inner, {
      action: `trunk.${which}`,
      target: String(id),
      details: { from: trunk.status, to },
    });
    const moved = await db.sipTrunk.findUniqueOrThrow({ where: { id }, include: withState });
    return presentOwnTrunk(moved, inner.settings.ingressDomain);
  });
}

function targetOf({ consumer }: Ctx, which: OwnMove): TrunkStatus {
  if (which === 'disable') return 'DISABLED';
  return which === 'submit' && consumer.selfService === 'APPROVAL' ? 'PENDING' : 'ACTIVE';
}

/** A submission awaits a new review. Other moves do not count as changes after the review. */
const reviewOf = ({ now }: Ctx, { updatedAt }: SipTrunk, which: OwnMove): Prisma.SipTrunkUpdateInput =>
  which === 'submit' ? { submittedAt: now, reviewedAt: null, reviewNote: null } : { updatedAt };

const impossible = (message: string) => new ApiError('invalid_state', { message });
