import type { Database, Prisma, SipTrunk } from '@clarion/db';

/** An ACTIVE trunk of a carrier that sends from 192.0.2.0/28, with the given changes. */
export const carrierTrunk = (
  db: Database,
  consumerId: number | null,
  change: Partial<Prisma.SipTrunkUncheckedCreateInput> = {},
): Promise<SipTrunk> =>
  db.sipTrunk.create({
    data: {
      consumerId,
      name: 'trunk',
      status: 'ACTIVE',
      host: 'carrier.test',
      inboundSourceCidrs: ['192.0.2.0/28'],
      ingressLabel: 'acme',
      ...change,
    },
  });
