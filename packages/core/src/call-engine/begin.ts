/** Creates calls in the engine: the call's row, its live state, its first log entries and events, in one transaction. */
import { failures } from '@clarion/protocol';
import type { AddressType, ChannelType, FailureCode, FailureDetails, MediaPath } from '@clarion/protocol';
import type { Call, Tx } from '@clarion/db';
import { newFlowRun } from '../ivr/flow-run.ts';
import { beginCallback, beginInboundCall, beginIntent } from '../call-machine/arrival.ts';
import type { InboundRoute } from '../call-machine/arrival.ts';
import type { Effect } from '../call-machine/effects.ts';
import type { Step } from '../call-machine/machine.ts';
import { sipStatusOf } from '../call-machine/outcome.ts';
import type { Outcome } from '../call-machine/outcome.ts';
import type { DialPlan, QueueWait } from '../call-machine/state.ts';
import type { CallPricing } from '../rating/call-pricing.ts';
import { loadBeginning } from '../call-store/load-step.ts';
import type { LoadedAgent, LoadedBeginning } from '../call-store/loaded.ts';
import type { NewCallRow } from '../call-store/step-document.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import type { IdleQueue } from '../queue-routing/snapshot.ts';
import { isConflict } from '../retry-on-conflict.ts';
import { commitBeginning } from './commit.ts';
import type { Committed, Pending } from './commit.ts';
import { AgentTaken } from './history.ts';
import type { LineRoute } from './line-route.ts';
import { offerOnArrival } from './offer-on-arrival.ts';
import type { RefusalReason } from './refusal.ts';
import type { StepMemory } from './step-memory.ts';

interface NewCall {
  consumerId: number;
  tenantId: number;
  channel: { id: number; ref: string; type: ChannelType };
  sipTrunkId: number | null;
  /** Trunks with a limit of concurrent calls that the call may use; absent: none. */
  limitedTrunkIds?: readonly number[];
  /** `address` null: the caller ID is withheld. */
  customer: { address: string | null; addressType: AddressType; name: string | null };
  mediaPath: MediaPath;
  /** Whether the call is recorded. */
  record: boolean;
  pricing: CallPricing;
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
  const { agent, dial, record, mediaPath, pricing, externalRef } = intent;
  const sql = stepSqlOf(tx);
  const loaded = await loadBeginning(sql.run, intent.tenantId, [agent.id]);
  const row: NewCallRow = {
    ...columnsOf(intent, loaded.callId, now),
    direction: 'OUTBOUND',
    agentId: agent.id,
    agentRef: agent.ref,
    externalRef,
    consumerMetadata: metadataOf(intent),
  };
  const first = beginIntent(
    { callId: row.id, record, mediaPath, pricing, agentId: agent.id, dial },
    now.getTime(),
  );
  const options = { runsEffects: false, leaseNodeId: null, flow: null, ...limitedTrunks(intent) };
  const { after } = await commitBeginning(sql, loaded, row, first, now, options);
  return after.call;
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
  const { wait, dial, callbackOf, record, mediaPath, pricing, externalRef, leaseNodeId } = callBack;
  const [stop] = wait.stops;
  const sql = stepSqlOf(tx);
  const loaded = await loadBeginning(sql.run, callBack.tenantId, []);
  const row: NewCallRow = {
    ...columnsOf(callBack, loaded.callId, now),
    direction: 'OUTBOUND',
    callbackOf,
    queueId: stop?.queueId ?? null,
    queueRef: stop?.ref ?? null,
    externalRef,
    consumerMetadata: metadataOf(callBack),
  };
  const first = beginCallback(
    { callId: row.id, record, mediaPath, pricing, dial, wait, callbackOf },
    now.getTime(),
  );
  return commitBeginning(sql, loaded, row, first, now, {
    runsEffects: true,
    leaseNodeId,
    flow: null,
    ...limitedTrunks(callBack),
  });
}

/** Why a call that is recorded never begins: the caller has hung up already, or an account cannot pay for it. */
export type EndOnArrival = 'hung-up' | 'no-credit';

/** The call may be offered in the step that creates it. */
export interface OfferInFirstStep {
  /** The line's queue. */
  idleQueue: IdleQueue;
  /** Later than the arrival, if the decision had to wait. */
  at: Date;
}

export interface InboundCall extends NewCall {
  inviteId: string | null;
  mediaNodeId: string;
  carrierLegId: string;
  /** The line's own queue. */
  queue: { id: number; ref: string } | null;
  route: LineRoute;
  endsOnArrival?: EndOnArrival | undefined;
  /** As in Arrival. */
  ringUntil?: number | undefined;
  /** Whether the consumer has a lookup hook. */
  lookup: boolean;
  /** The realtime node that keeps the call's timers. */
  leaseNodeId: string;
  maxCallSeconds: number | undefined;
  /** What the call begins from, if it has been loaded already and reserves no agent. */
  loaded?: LoadedBeginning | null;
  offer?: OfferInFirstStep;
  memory?: StepMemory | undefined;
}

export interface InsertedInboundCall {
  call: Call;
  /** Null: the call is live. Otherwise the response to the carrier. */
  refusal: RefusalReason | null;
  pending: Pending | null;
}

/**
 * Part of `admitInboundCall`, in its transaction. The realtime node that requested the call runs `pending`.
 *
 * @throws 409 too_many_calls; a unique violation if the INVITE has a call or was withdrawn
 */
export async function insertInboundCall(
  tx: Tx,
  inbound: InboundCall,
  now: Date,
): Promise<InsertedInboundCall> {
  const { route } = inbound;
  const rung = route.kind === 'owner' ? route.agent : null;
  const owner = route.kind === 'disabled' ? route.agent : rung;
  // A flow may route the caller elsewhere. The call's queue is the first one in which it waits.
  const queue = route.kind === 'flow' ? null : inbound.queue;
  const sql = stepSqlOf(tx);
  const loaded = inbound.loaded ?? (await loadBeginning(sql.run, inbound.tenantId, rung ? [rung.id] : []));
  const row: NewCallRow = {
    ...columnsOf(inbound, loaded.callId, now),
    direction: 'INBOUND',
    inviteId: inbound.inviteId,
    agentId: owner?.id ?? null,
    agentRef: owner?.ref ?? null,
    queueId: queue?.id ?? null,
    queueRef: queue?.ref ?? null,
  };
  const arrival = {
    callId: row.id,
    record: inbound.record,
    mediaPath: inbound.mediaPath,
    pricing: inbound.pricing,
    mediaNodeId: inbound.mediaNodeId,
    carrierLegId: inbound.carrierLegId,
    route: inbound.endsOnArrival ? { kind: inbound.endsOnArrival } : currentRoute(route, loaded.agents, now),
    lookup: inbound.lookup,
    ...(inbound.ringUntil !== undefined && { ringUntil: inbound.ringUntil }),
    ...limit(inbound.maxCallSeconds),
  };
  const { state, effects } = beginInboundCall(arrival, now.getTime());
  const first = { state, effects: [...reservations(arrival.route), ...effects] };
  const commit = (from: LoadedBeginning, step: Step, at: Date) =>
    commitBeginning(sql, from, row, step, at, {
      runsEffects: true,
      leaseNodeId: inbound.leaseNodeId,
      flow: route.kind === 'flow' ? route.flow : null,
      ...limitedTrunks(inbound),
      ...(inbound.memory && { memory: inbound.memory }),
    });
  const commitOffered = async ({ idleQueue, at }: OfferInFirstStep): Promise<Committed | null> => {
    const offered = await offerOnArrival(sql, first, idleQueue, at, inbound.memory);
    const from = offered && { ...loaded, agents: offered.agents, remembered: true as const };
    return from && unlessChanged(commit(from, offered.step, at));
  };
  const { offer } = inbound;
  const pending = (offer && (await commitOffered(offer))) ?? (await commit(loaded, first, now));
  return {
    call: pending.after.call,
    refusal: state.phase === 'ended' ? refusalOf(state.outcome) : null,
    pending,
  };
}

/** @returns null if an agent whom the step reserves has changed: nothing was committed */
async function unlessChanged(commit: Promise<Committed>): Promise<Committed | null> {
  try {
    return await commit;
  } catch (error) {
    if (isConflict(error) || error instanceof AgentTaken) return null;
    throw error;
  }
}

/** The owner of a personal line is rung, unless the owner is being rung by another call or is on a call. */
function currentRoute(route: LineRoute, agents: readonly LoadedAgent[], now: Date): InboundRoute {
  if (route.kind === 'flow') return { kind: 'flow', flow: newFlowRun(route.flow, now.getTime()) };
  if (route.kind !== 'owner') return route;
  const { agent, ringTimeoutSeconds, unreachable } = route;
  const found = { kind: 'owner', agentId: agent.id, ringTimeoutSeconds } as const;
  const owner = agents.find(({ id }) => id === agent.id);
  if (unreachable || !owner || owner.deletedAt) return { ...found, owner: unreachable ?? 'no-device' };
  if (owner.currentCallId === null) {
    return { ...found, owner: 'reserved', ...(owner.deviceIds.length === 0 && { waking: true }) };
  }
  return { ...found, owner: owner.onCall ? 'busy' : 'rung' };
}

/** Part of the first step. If another call reserves the owner meanwhile, the call begins again. */
const reservations = (route: InboundRoute): Effect[] =>
  route.kind === 'owner' && route.owner === 'reserved'
    ? [{ kind: 'agent', agentId: route.agentId, change: 'reserve' }]
    : [];

/** The response to the carrier for a call that ended on arrival. A repeated INVITE request gets the same one. */
export function refusalOf(outcome: {
  terminationReason: Outcome['terminationReason'];
  terminatedBy: Outcome['terminatedBy'];
  failureDetails: FailureDetails | null;
}): RefusalReason {
  const { terminationReason, terminatedBy, failureDetails } = outcome;
  const code = failureDetails?.reason ?? codeOnArrival(terminationReason);
  return {
    status: failureDetails?.sipStatus ?? sipStatusOf(terminationReason, terminatedBy),
    code,
    reason: failureDetails?.message ?? failures[code].text,
  };
}

const limitedTrunks = ({ limitedTrunkIds = [] }: NewCall) =>
  limitedTrunkIds.length === 0 ? {} : { limitedTrunkIds };

/** A person or the line's settings decided, so the call has no failure details. */
function codeOnArrival(reason: Outcome['terminationReason']): FailureCode {
  switch (reason) {
    case 'BUSY':
      return 'owner_busy';
    case 'NO_ANSWER':
      return 'owner_unavailable';
    case 'REJECTED':
      return 'line_without_route';
    case 'CANCELLED':
      return 'caller_cancelled';
    case 'CREDIT_EXHAUSTED':
      return 'no_credit';
    default:
      return 'service_error';
  }
}

const limit = (maxCallSeconds: number | undefined) =>
  maxCallSeconds === undefined ? {} : { maxCallSeconds };

function metadataOf({ consumerMetadata }: { consumerMetadata: object | null }): Call['consumerMetadata'] {
  const json: Call['consumerMetadata'] = JSON.parse(JSON.stringify(consumerMetadata));
  return json;
}

const columnsOf = (call: NewCall, id: number, createdAt: Date) => ({
  id,
  consumerId: call.consumerId,
  tenantId: call.tenantId,
  status: 'INITIATED' as const,
  channelId: call.channel.id,
  channelRef: call.channel.ref,
  channelType: call.channel.type,
  sipTrunkId: call.sipTrunkId,
  queueId: null,
  queueRef: null,
  agentId: null,
  agentRef: null,
  customerAddress: call.customer.address,
  customerAddressType: call.customer.addressType,
  customerWithheld: call.customer.address === null,
  customerName: call.customer.name,
  externalRef: null,
  consumerMetadata: null,
  mediaPath: call.mediaPath,
  inviteId: null,
  callbackOf: null,
  createdAt,
});
