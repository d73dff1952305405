/** Creates an outbound intent: checks every rule that can reject it, then creates the engine's call. */
import {
  ApiError,
  invalidField,
  notFound,
  storedTenantSettings,
  tenantSettingsWithDefaults,
} from '@clarion/protocol';
import type { CallView } from '@clarion/protocol';
import type { CreateCall } from '@clarion/protocol/v1/call/calls';
import type { Tenant } from '@clarion/db';
import { findAgent } from '../agent/agent-of.ts';
import type { AgentRow } from '../agent/agent-of.ts';
import { findChannel } from '../channel/channel-of.ts';
import type { ChannelRow } from '../channel/channel-of.ts';
import { audit, inTransaction, onlyTenantId, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { readCustomerOn } from '../numbers/customer.ts';
import { destinationRefusal } from '../numbers/destination.ts';
import { recordingOf } from '../recording/policy.ts';
import { takeCapacity } from '../call-engine/capacity.ts';
import { createOutboundIntent } from '../call-engine/begin.ts';
import {
  diallerOf,
  dialPlan,
  limitedTrunkIdsOf,
  trunkIdOf,
  withoutTrunks,
} from '../call-engine/dial-plan.ts';
import type { Dialler } from '../call-engine/dial-plan.ts';
import { priceOutbound } from '../call-engine/outbound-prices.ts';
import { tenantSuspended, unsupportedChannel } from '../call-engine/outbound-refusals.ts';
import { readPrices } from '../price-book/read-prices.ts';
import { mediaPathOf } from '../call-engine/media-path.ts';
import { presentCall } from '../call-record/present.ts';

/** @throws ApiError in the order of the rules in docs/requirements.md#errors */
export async function createCall(ctx: Ctx, tenantRef: string, input: CreateCall): Promise<CallView> {
  return inTransaction(ctx, async (inner) => {
    const { db, consumer, now } = inner;
    const tenant = await tenantOf(inner, tenantRef);
    // Its agents cannot connect, so no app could start the call.
    if (tenant.status === 'SUSPENDED') throw tenantSuspended();
    const channel = await lineOf(inner, tenant, input.channelRef);
    const agent = await callerOf(inner, tenant, input.agentRef);
    const placing = await assertCanCall(inner, channel, agent);
    const { address, addressType } = destinationOf(inner, channel, input.customer);
    if (agent.currentCallId !== null) throw new ApiError('agent_busy');
    const priced = await priceOutbound(
      db,
      ctx.prices ?? readPrices,
      { consumer, tenant, channel },
      { dialler: placing, address },
      now,
    );
    const fullTrunkIds = await takeCapacity(inner, limitedTrunkIdsOf(priced.dialler));
    const dialler = withoutTrunks(priced.dialler, fullTrunkIds);
    const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
    const call = await createOutboundIntent(
      db,
      {
        consumerId: consumer.id,
        tenantId: tenant.id,
        channel: { id: channel.id, ref: channel.ref, type: channel.type },
        sipTrunkId: trunkIdOf(dialler),
        limitedTrunkIds: limitedTrunkIdsOf(dialler),
        customer: { address, addressType, name: input.customer.name },
        pricing: priced.pricing,
        record: recordingOf({ line: channel, tenant, consumer: await policyOf(inner) }).enabled,
        mediaPath: mediaPathOf(
          settings,
          { personal: channel.ownerAgentId !== null, type: channel.type },
          'OUTBOUND',
        ),
        agent: { id: agent.id, ref: agent.ref },
        dial: dialPlan(dialler, channel, address),
        externalRef: input.externalRef,
        consumerMetadata: input.consumerMetadata,
      },
      now,
    );
    await audit(inner, {
      action: 'call.create',
      target: String(call.id),
      tenantId: tenant.id,
      details: { channelRef: channel.ref, agentRef: agent.ref },
    });
    return presentCall(call, tenantRef, now);
  });
}

/** Read from the database, so that a change of the account's policy applies immediately. */
const policyOf = ({ db, consumer }: Ctx) =>
  db.consumer.findUniqueOrThrow({ where: { id: consumer.id }, select: { recordingEnabled: true } });

/** Searches the consumer's other tenants for a more precise error. A launched person learns nothing about other tenants. */
const otherTenants = (ctx: Ctx) => {
  const only = onlyTenantId(ctx);
  return { consumerId: ctx.consumer.id, ...(only !== null && { id: only }) };
};

/** @throws 409 if the line belongs to another tenant of this consumer, 400 if it does not exist */
async function lineOf(ctx: Ctx, tenant: Tenant, ref: string): Promise<ChannelRow> {
  const channel = await findChannel(ctx, tenant, ref);
  if (channel) return channel;
  const elsewhere = await ctx.db.channel.count({ where: { ref, tenant: otherTenants(ctx) } });
  if (elsewhere > 0) throw new ApiError('invalid_channel', { details: { field: 'channel_ref' } });
  throw invalidField('channel_ref', `channel_ref: the tenant has no channel ${ref}.`);
}

/** @throws 409 if the agent belongs to another tenant of this consumer, 404 if they do not exist */
async function callerOf(ctx: Ctx, tenant: Tenant, ref: string): Promise<AgentRow> {
  const agent = await findAgent(ctx, tenant, ref);
  if (agent) return agent;
  const elsewhere = await ctx.db.agent.count({
    where: { ref, deletedAt: null, tenant: otherTenants(ctx) },
  });
  if (elsewhere > 0) throw new ApiError('invalid_agent', { details: { field: 'agent_ref' } });
  throw notFound('The agent');
}

/** @throws 409 channel_disabled, unsupported_channel; 403 line_not_owned */
async function assertCanCall(ctx: Ctx, channel: ChannelRow, agent: AgentRow): Promise<Dialler> {
  if (channel.status !== 'ACTIVE') throw new ApiError('channel_disabled');
  const dialler = await diallerOf(ctx.db, channel);
  if (!dialler) throw unsupportedChannel(channel.type);
  if (channel.ownerAgentId !== null && channel.ownerAgentId !== agent.id)
    throw new ApiError('line_not_owned');
  return dialler;
}

/** @throws 409 invalid_customer; 403 emergency_not_supported, destination_blocked, destination_not_allowed */
function destinationOf({ consumer }: Ctx, line: ChannelRow, customer: CreateCall['customer']) {
  const read = readCustomerOn(line.type, customer.address, customer.addressType);
  switch (read.kind) {
    case 'emergency':
      throw new ApiError('emergency_not_supported');
    case 'invalid':
      throw new ApiError('invalid_customer', { details: { field: 'customer.address' } });
    case 'ok': {
      const refusal = read.number === null ? null : destinationRefusal(read.number, consumer);
      if (refusal !== null) throw new ApiError(refusal);
      return read;
    }
  }
}
