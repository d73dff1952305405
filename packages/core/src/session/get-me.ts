import type { MeResource } from '@clarion/protocol/v1/account/me';
import type { Ctx } from '../context.ts';
import { sessionOf } from './signed-in.ts';

/** Who is signed in, as the dashboard shows and divides its pages. */
export async function getMe(ctx: Ctx): Promise<{ me: MeResource }> {
  const { id: sessionId, name, role, staffUserId, tenantId } = sessionOf(ctx);
  const { slug, name: consumerName, status } = ctx.consumer;
  const shared = { sessionId, role, consumer: { slug, name: consumerName, status } };
  if (staffUserId === null) {
    const tenant =
      tenantId === null
        ? null
        : await ctx.db.tenant.findUnique({ where: { id: tenantId }, select: { ref: true } });
    return {
      me: { ...shared, kind: 'LAUNCHED', name, email: null, tenantRef: tenant?.ref ?? null, twoFactor: null },
    };
  }
  const person = await ctx.db.staffUser.findUniqueOrThrow({
    where: { id: staffUserId },
    select: {
      name: true,
      email: true,
      twoFactorRequired: true,
      totpConfirmedAt: true,
      _count: { select: { recoveryCodes: { where: { usedAt: null } } } },
    },
  });
  return {
    me: {
      ...shared,
      kind: 'STAFF',
      name: person.name,
      email: person.email,
      tenantRef: null,
      twoFactor: {
        enabled: person.totpConfirmedAt !== null,
        required: person.twoFactorRequired,
        recoveryCodesLeft: person._count.recoveryCodes,
      },
    },
  };
}
