/** Creates calls in the engine: the call's row, its live state, its first log entries and events, in one transaction. */
import type { AddressType, ChannelType, FailureDetails, MediaPath } from '@clarion/protocol';
import type { Call, Prisma, Tx } from '@clarion/db';
import { newFlowRun } from '../ivr/flow-run.ts';
import { beginCallback, beginInboundCall, beginIntent } from '../call-machine/arrival.ts';
import type { InboundRoute } from '../call-machine/arrival.ts';
import { sipStatusOf } from '../call-machine/outcome.ts';
import type { Outcome } from '../call-machine/outcome.ts';
import type { DialPlan, QueueWait } from '../call-machine/state.ts';
import { requireCapacity } from './capacity.ts';
import { commitBeginning } from './commit.ts';
import type { Pending } from './commit.ts';
import { reserveAgent } from './history.ts';
import type { LineRoute } from './line-route.ts';
import { toJson } from './stored.ts';

interface NewCall {
  consumerId: number;
  tenantId: number;
  channel: { id: number; ref: string; type: ChannelType };
  sipTrunkId: number | null;
  /** `address` null: the caller ID is withheld. */
  customer: { address: string | null; addressType: AddressType; name: string | null };
  mediaPath: MediaPath;
  /** Whether the call is recorded. */
  record: boolean;
}

export interface OutboundIntent extends NewCall {
  agent: { id: number; ref: string };
  dial: DialPlan;
  externalRef: string | null;
  consumerMetadata: Record<string, unknown> | null;
}

/**
 * Creates an outbound intent, which waits for its agent's app, in the caller's transaction. The verb has checked everything; nothing is
 * rejected here, except at the limit of concurrent calls. A realtime node notifies the agent's apps.
 *
 * @throws 409 too_many_calls
 */
export async function createOutboundIntent(tx: Tx, intent: OutboundIntent, now: Date): Promise<Call> {
  const { agent, dial } = intent;
  const call = await tx.call.create({
    data: {
      ...columnsOf(intent),
      direction: 'OUTBOUND',
      agentId: agent.id,
      agentRef: agent.ref,
      externalRef: intent.externalRef,
      ...(intent.consumerMetadata && { consumerMetadata: toJson(intent.consumerMetadata) }),
      createdAt: now,
    },
  });
  const beginning = beginIntent(
    { callId: call.id, record: intent.record, mediaPath: intent.mediaPath, agentId: agent.id, dial },
    now.getTime(),
  );
  await commitBeginning(tx, call, beginning, now, { runsEffects: false, leaseNodeId: null });
  await requireCapacity(tx, call.consumerId);
  return tx.call.findUniqueOrThrow({ where: { id: call.id } });
}

export interface CallBack extends NewCall {
  /** The caller's call. */
  callbackOf: number;
  dial: DialPlan;
  /** The caller's wait in the queue. */
  wait: QueueWait;
  externalRef: string | null;
  /** The flow as stored. */
  consumerMetadata: Record<string, unknown> | null;
  leaseNodeId: string;
}

/**
 * Creates the call of a callback in the caller's transaction. The realtime node that does so runs `pending`.
 *
 * @throws 409 too_many_calls
 */
export async function createCallbackCall(tx: Tx, callBack: CallBack, now: Date): Promise<Pending | null> {
  const { wait, dial, callbackOf, record, mediaPath } = callBack;
  const [stop] = wait.stops;
  const call = await tx.call.create({
    data: {
      ...columnsOf(callBack),
      direction: 'OUTBOUND',
      callbackOf,
      queueId: stop?.queueId ?? null,
      queueRef: stop?.ref ?? null,
      externalRef: callBack.externalRef,
      ...(callBack.consumerMetadata && { consumerMetadata: toJson(callBack.consumerMetadata) }),
      createdAt: now,
    },
  });
  const beginning = beginCallback(
    { callId: call.id, record, mediaPath, dial, wait, callbackOf },
    now.getTime(),
  );
  const pending = await commitBeginning(tx, call, beginning, now, {
    runsEffects: true,
    leaseNodeId: callBack.leaseNodeId,
  });
  await requireCapacity(tx, call.consumerId);
  return pending;
}

export interface InboundCall extends NewCall {
  inviteId: string;
  mediaNodeId: string;
  carrierLegId: string;
  /** The line's own queue. */
  queue: { id: number; ref: string } | null;
  route: LineRoute;
  /** Whether the consumer has a lookup hook. */
  lookup: boolean;
  /** The realtime node that keeps the call's timers. */
  leaseNodeId: string;
  maxCallSeconds: number | undefined;
}

export interface InsertedInboundCall {
  call: Call;
  /** Null: the call is live. Otherwise the response to the carrier. */
  refusal: { status: number; reason: string } | null;
  pending: Pending | null;
}

/**
 * Part of `createInboundCall`, in its transaction. The realtime node that requested the call runs `pending`.
 *
 * @throws 409 too_many_calls; a unique violation if the INVITE has a call or was withdrawn
 */
export async function insertInboundCall(
  tx: Tx,
  inbound: InboundCall,
  now: Date,
): Promise<InsertedInboundCall> {
  const { route } = inbound;
  const owner = route.kind === 'owner' ? route.agent : null;
  // A flow may route the caller elsewhere. The call's queue is the first one in which it waits.
  const queue = route.kind === 'flow' ? null : inbound.queue;
  const created = await tx.call.create({
    data: {
      ...columnsOf(inbound),
      direction: 'INBOUND',
      inviteId: inbound.inviteId,
      agentId: owner?.id ?? null,
      agentRef: owner?.ref ?? null,
      queueId: queue?.id ?? null,
      queueRef: queue?.ref ?? null,
      createdAt: now,
    },
  });
  const arrival = {
    callId: created.id,
    record: inbound.record,
    mediaPath: inbound.mediaPath,
    mediaNodeId: inbound.mediaNodeId,
    carrierLegId: inbound.carrierLegId,
    route: await reserved(tx, created.id, route, now),
    lookup: inbound.lookup,
    ...limit(inbound.maxCallSeconds),
  };
  const beginning = beginInboundCall(arrival, now.getTime());
  const pending = await commitBeginning(tx, created, beginning, now, {
    runsEffects: true,
    leaseNodeId: inbound.leaseNodeId,
    flow: route.kind === 'flow' ? route.flow : null,
  });
  const ended = beginning.state.phase === 'ended' ? beginning.state.outcome : null;
  if (!ended) await requireCapacity(tx, created.consumerId);
  const call = await tx.call.findUniqueOrThrow({ where: { id: created.id } });
  return {
    call,
    refusal: ended && refusalOf(ended),
    pending,
  };
}

/** Reserves the owner of a personal line for this call and rings them, unless the owner is being rung by another call or is on a call. */
async function reserved(tx: Tx, callId: number, route: LineRoute, now: Date): Promise<InboundRoute> {
  if (route.kind === 'flow') return { kind: 'flow', flow: newFlowRun(route.flow, now.getTime()) };
  if (route.kind !== 'owner') return route;
  const { agent, ringTimeoutSeconds, unreachable } = route;
  const found = { kind: 'owner', agentId: agent.id, ringTimeoutSeconds } as const;
  if (unreachable) return { ...found, owner: unreachable };
  if (await reserveAgent(tx, agent.id, callId)) return { ...found, owner: 'reserved' };
  const { onCall } = await tx.agent.findUniqueOrThrow({ where: { id: agent.id }, select: { onCall: true } });
  return { ...found, owner: onCall ? 'busy' : 'rung' };
}

/** The response to the carrier for a call that ended on arrival. A repeated INVITE request gets the same one. */
export function refusalOf(outcome: {
  terminationReason: Outcome['terminationReason'];
  terminatedBy: Outcome['terminatedBy'];
  failureDetails: FailureDetails | null;
}): { status: number; reason: string } {
  const { terminationReason, terminatedBy, failureDetails } = outcome;
  return {
    status: failureDetails?.sipStatus ?? sipStatusOf(terminationReason, terminatedBy),
    reason: failureDetails?.message ?? terminationReason,
  };
}

const limit = (maxCallSeconds: number | undefined) =>
  maxCallSeconds === undefined ? {} : { maxCallSeconds };

const columnsOf = (call: NewCall) =>
  ({
    consumerId: call.consumerId,
    tenantId: call.tenantId,
    channelId: call.channel.id,
    channelRef: call.channel.ref,
    channelType: call.channel.type,
    sipTrunkId: call.sipTrunkId,
    customerAddress: call.customer.address,
    customerAddressType: call.customer.addressType,
    customerWithheld: call.customer.address === null,
    customerName: call.customer.name,
    mediaPath: call.mediaPath,
  }) satisfies Partial<Prisma.CallUncheckedCreateInput>;
