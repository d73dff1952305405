/** What is read when an agent's app connects. The reads of many apps that connect at once are made together. */
import { webPushKeysOf } from '@clarion/core/push/push-credentials';
import type { Database, Prisma } from '@clarion/db';
import type { AgentRows, ConnectableAgent } from '../deps.ts';
import { batchedReads } from './batched-reads.ts';

const OF_SESSION = {
  tenant: { select: { ref: true, name: true, settings: true, consumerId: true } },
  memberships: { select: { queue: { select: { id: true, ref: true, name: true, strategy: true } } } },
} satisfies Prisma.AgentInclude;

/** What a call is shown from. */
export const SHOWN_WITH_CALL = {
  tenant: { select: { ref: true } },
  live: { select: { state: true, version: true } },
} satisfies Prisma.CallInclude;

const CAN_PLACE_CALLS: Prisma.ChannelWhereInput = {
  status: 'ACTIVE',
  OR: [
    { type: 'SIP', sipTrunkId: { not: null } },
    { type: 'WHATSAPP', credentialsSealed: { not: null } },
  ],
};

export function createAgentRows(db: Database): AgentRows {
  const tenants = batchedReads((ids) =>
    db.tenant.findMany({
      where: { id: { in: ids } },
      select: {
        id: true,
        channels: {
          where: CAN_PLACE_CALLS,
          orderBy: { id: 'asc' },
          select: { ref: true, type: true, address: true, displayName: true, ownerAgentId: true },
        },
      },
    }),
  );
  const webPush = batchedReads((consumerIds) => webPushKeysOf(db, consumerIds));
  return {
    connectable: batchedReads((ids) => readConnectable(db, ids)),
    agent: batchedReads((ids) => db.agent.findMany({ where: { id: { in: ids } }, include: OF_SESSION })),
    call: batchedReads((ids) => db.call.findMany({ where: { id: { in: ids } }, include: SHOWN_WITH_CALL })),
    async dialLines({ id, tenantId }) {
      const lines = (await tenants(tenantId))?.channels ?? [];
      return lines
        .filter(({ ownerAgentId }) => ownerAgentId === null || ownerAgentId === id)
        .map(({ ownerAgentId, ...line }) => ({ ...line, personal: ownerAgentId !== null }));
    },
    webPushKey: async (consumerId) => (await webPush(consumerId))?.publicKey ?? null,
  };
}

const readConnectable = (db: Database, ids: number[]): Promise<ConnectableAgent[]> =>
  db.$queryRaw<ConnectableAgent[]>`
    select a."id", a."currentCallId",
      array(select k."id" from "SigningKey" k where k."consumerId" = c."id" and k."revokedAt" is null) as "signingKeyIds"
    from "Agent" a
    join "Tenant" t on t."id" = a."tenantId"
    join "Consumer" c on c."id" = t."consumerId"
    where a."id" = any (${ids}) and a."deletedAt" is null and t."status" = 'ACTIVE' and c."status" = 'ACTIVE'`;
