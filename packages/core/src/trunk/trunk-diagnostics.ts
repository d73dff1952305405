/** Diagnostics of a consumer's own trunk: what was observed of its carrier, and the calls that were rejected. */
import { notFound, trunkPing, trunkRegistration } from '@clarion/protocol';
import { MAX_REFUSALS, PING_SECONDS } from '@clarion/protocol/v1/tenant/trunk-diagnostics';
import type {
  DiagnosticsResource,
  RegistrationResource,
} from '@clarion/protocol/v1/tenant/trunk-diagnostics';
import type { SipRefusal, SipTrunk } from '@clarion/db';
import type { Ctx } from '../context.ts';
import { refusalsSince } from './prune-refusals.ts';
import { presentFailure } from './test-trunk.ts';

/** @throws 404 */
export async function trunkDiagnostics(ctx: Ctx, id: number): Promise<DiagnosticsResource> {
  const { db, consumer, now } = ctx;
  const trunk = await db.sipTrunk.findFirst({
    where: { id, consumerId: consumer.id },
    include: {
      state: true,
      refusals: {
        where: { at: { gte: refusalsSince(now) } },
        orderBy: [{ at: 'desc' }, { id: 'desc' }],
        take: MAX_REFUSALS,
        omit: { ladder: true },
      },
    },
  });
  if (!trunk) throw notFound('The trunk');
  const { state } = trunk;
  return {
    target: targetOf(trunk),
    ping: trunkPing.nullable().parse(state?.ping ?? null),
    upChangedAt: state?.upChangedAt?.toISOString() ?? null,
    registration: trunk.register ? presentRegistration(state?.registration ?? null) : null,
    lastInvite: state?.lastInviteAt
      ? {
          at: state.lastInviteAt.toISOString(),
          source: state.lastInviteSource ?? '',
          number: state.lastInviteNumber ?? '',
        }
      : null,
    refusals: trunk.refusals.map(presentRefusal),
    pingSeconds: PING_SECONDS,
  };
}

const targetOf = ({ host, port, transport }: SipTrunk): string =>
  `sip:${host.includes(':') ? `[${host}]` : host}:${port};transport=${transport.toLowerCase()}`;

function presentRegistration(stored: unknown): RegistrationResource | null {
  const registration = trunkRegistration.nullable().parse(stored);
  return registration === null ? null : { ...registration, ...presentFailure(registration.code) };
}

const presentRefusal = ({
  id,
  at,
  status,
  source,
  number,
  reason,
  code,
  ladderStartedAt,
}: Omit<SipRefusal, 'ladder'>) => ({
  id: Number(id),
  at: at.toISOString(),
  status,
  source,
  number,
  reason,
  ...presentFailure(code),
  hasLadder: ladderStartedAt !== null,
});
