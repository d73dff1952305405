/** Opens the dashboard for a person of a business, whose own product sent them here with a launch token. */
import { ApiError, unauthorized } from '@clarion/protocol';
import { NOT_SIGNED } from '../agent/signed-token.ts';
import { keysIn } from '../agent/token-keys.ts';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import type { Anonymous } from './as-person.ts';
import { openSession } from './open-session.ts';
import type { Device, OpenedSession } from './open-session.ts';
import { verifyLaunchToken } from './verify-launch-token.ts';
import type { LaunchToken } from './verify-launch-token.ts';

const USED = 'This link has already been used. Open the dashboard from your product again.';

/**
 * A token works once: of several concurrent attempts, the one that inserts the token's row succeeds, in the same transaction as its
 * session.
 *
 * @throws unauthorized naming the broken rule; consumer_suspended
 */
export async function launch(ctx: Anonymous, token: string, device: Device): Promise<OpenedSession> {
  const claims = await verifyLaunchToken(token, keysIn(ctx.db, ctx.secrets), ctx.now);
  const { consumerId, tenantRef, jti } = claims;
  const consumer = await ctx.db.consumer.findUniqueOrThrow({ where: { id: consumerId } });
  if (consumer.status === 'SUSPENDED') throw new ApiError('consumer_suspended');
  const tenant = await ctx.db.tenant.findUnique({
    where: { consumerId_ref: { consumerId, ref: tenantRef } },
  });
  if (!tenant) throw unauthorized("The token's tnt claim does not match a tenant of this account.");
  // A token that was used long ago costs no transaction.
  const used = await ctx.db.launchTokenUse.findUnique({ where: { consumerId_jti: { consumerId, jti } } });
  if (used) throw unauthorized(USED);
  const own: Ctx = {
    ...ctx,
    consumer,
    actor: { kind: 'launchedUser', id: claims.userRef, name: claims.name },
    surface: 'dashboard',
  };
  return inTransaction(own, (inner) => open(inner, claims, tenant.id, device));
}

async function open(
  ctx: Ctx,
  { consumerId, jti, expiresAt, name, role, userRef, signingKeyId }: LaunchToken,
  tenantId: number,
  device: Device,
): Promise<OpenedSession> {
  // Locked, so that a concurrent revocation of the key finds this session among those to end.
  const held = await ctx.db.$queryRaw<unknown[]>`
    select 1 from "SigningKey" where "id" = ${signingKeyId} and "revokedAt" is null for share`;
  if (held.length === 0) throw unauthorized(NOT_SIGNED);
  const { count } = await ctx.db.launchTokenUse.createMany({
    data: [{ consumerId, jti, expiresAt }],
    skipDuplicates: true,
  });
  if (count === 0) throw unauthorized(USED);
  await audit(ctx, { action: 'session.launch', target: userRef, tenantId, details: { role, ...device } });
  const person = { consumerId, name, role, staffUserId: null, tenantId, userRef, signingKeyId };
  return openSession(ctx, person, device);
}
