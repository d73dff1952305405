/** Creates or replaces an IVR flow, checked as a graph against the tenant's queues, agents and audio assets. */
import type { Channel, Tenant } from '@clarion/db';
import { invalidField } from '@clarion/protocol';
import type { IvrFlowResource, PutIvrFlow } from '@clarion/protocol/v1/tenant/ivr-flows';
import { toJson } from '../call-engine/stored.ts';
import { findChannel } from '../channel/channel-of.ts';
import { audit, inTransaction, isRoot, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { checkFlow, namedBy } from '../ivr/check-flow.ts';
import { ivrFlowOf } from './flow-of.ts';
import { presentIvrFlow } from './present.ts';

/** If something that the structure refers to is deleted before the flow is saved, a second attempt finds it missing and reports it. */
const MAX_ATTEMPTS = 3;

/** @throws 400 naming channel_ref, trigger_condition, or the invalid part of the structure */
export async function putIvrFlow(
  ctx: Ctx,
  tenantRef: string,
  ref: string,
  input: PutIvrFlow,
): Promise<IvrFlowResource> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(ctx, (inner) => save(inner, tenantRef, ref, input));
    } catch (error) {
      switch (violatedConstraint(error)) {
        case 'IvrFlow_active_trigger_key':
          throw triggerTaken(input);
        case 'IvrFlow_channelId_fkey':
          throw invalidField('channel_ref', 'channel_ref: the channel has just been deleted.');
        case 'IvrFlowQueue_queueId_fkey':
        case 'IvrFlowAudio_audioAssetId_fkey':
          if (isRoot(ctx.db) && attempt < MAX_ATTEMPTS) continue;
          throw invalidField(
            'structure',
            'structure: a queue or audio asset that it refers to has just been deleted.',
          );
        default:
          throw error;
      }
    }
  }
}

async function save(
  ctx: Ctx,
  tenantRef: string,
  ref: string,
  { channelRef, structure, ...columns }: PutIvrFlow,
): Promise<IvrFlowResource> {
  const { db } = ctx;
  const tenant = await tenantOf(ctx, tenantRef);
  const channel = await findChannel(ctx, tenant, channelRef);
  if (!channel) throw invalidField('channel_ref', `channel_ref: the tenant has no channel ${channelRef}.`);
  const { queues, audioAssets } = await assertValid(ctx, tenant, structure);
  await assertTriggerFree(ctx, channel, ref, { channelRef, structure, ...columns });
  const changed = { ...columns, channelId: channel.id, structure: toJson(structure) };
  const { id } = await db.ivrFlow.upsert({
    where: { tenantId_ref: { tenantId: tenant.id, ref } },
    create: { tenantId: tenant.id, ref, ...changed },
    update: changed,
  });
  await db.ivrFlowAudio.deleteMany({ where: { ivrFlowId: id } });
  await db.ivrFlowQueue.deleteMany({ where: { ivrFlowId: id } });
  await db.ivrFlowAudio.createMany({
    data: audioAssets.map((audioAssetId) => ({ ivrFlowId: id, audioAssetId })),
  });
  await db.ivrFlowQueue.createMany({ data: queues.map((queueId) => ({ ivrFlowId: id, queueId })) });
  await audit(ctx, {
    action: 'ivr_flow.put',
    target: ref,
    tenantId: tenant.id,
    details: { name: columns.name, status: columns.status, nodes: structure.nodes.length },
  });
  return presentIvrFlow(await ivrFlowOf(ctx, tenant, ref));
}

/** @returns the entities to which the structure refers; all of them exist */
async function assertValid({ db }: Ctx, tenant: Tenant, structure: PutIvrFlow['structure']) {
  const named = namedBy(structure);
  const ofTenant = (ids: number[]) => ({
    where: { tenantId: tenant.id, id: { in: ids } },
    select: { id: true },
  });
  const agents = await db.agent.findMany({
    where: { tenantId: tenant.id, deletedAt: null, id: { in: named.agents } },
    select: { id: true },
  });
  const idsOf = (rows: { id: number }[]) => new Set(rows.map(({ id }) => id));
  const problem = checkFlow(structure, {
    queues: idsOf(await db.queue.findMany(ofTenant(named.queues))),
    agents: idsOf(agents),
    audioAssets: idsOf(await db.audioAsset.findMany(ofTenant(named.audioAssets))),
  });
  if (problem) throw invalidField(problem.field, `${problem.field} ${problem.message}.`);
  return named;
}

/** Two ACTIVE flows must not have the same trigger. A unique index rejects concurrent attempts. */
async function assertTriggerFree({ db }: Ctx, { id }: Pick<Channel, 'id'>, ref: string, input: PutIvrFlow) {
  if (input.status !== 'ACTIVE') return;
  const { triggerCondition } = input;
  const other = await db.ivrFlow.findFirst({
    where: { channelId: id, triggerCondition, status: 'ACTIVE', NOT: { ref } },
    select: { ref: true },
  });
  if (other) throw triggerTaken(input, other.ref);
}

const triggerTaken = ({ channelRef, triggerCondition }: PutIvrFlow, by = 'another') =>
  invalidField(
    'trigger_condition',
    `trigger_condition: the channel ${channelRef} already has an ACTIVE flow for ${triggerCondition} (${by}).`,
  );
