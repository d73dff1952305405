/**
 * Creates the call of a callback (effect `call-back`) on the line that the caller called, under the rules of every outbound call. It is
 * created once: `Call.callbackOf` is unique.
 */
import { ApiError, storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { AddressType, ErrorCode } from '@clarion/protocol';
import type { Channel, Consumer, Database, Tenant, Tx } from '@clarion/db';
import type { Flow } from '../ivr/flow-run.ts';
import { readCustomer } from '../numbers/customer.ts';
import { readWhatsAppCustomer } from '../numbers/whatsapp-customer.ts';
import { destinationRefusal } from '../numbers/destination.ts';
import type { DestinationRules } from '../numbers/destination.ts';
import { isCreditRefusal } from '../ledger/outbound-refusal.ts';
import type { PriceBook } from '../price-book/price-book.ts';
import { readPrices } from '../price-book/read-prices.ts';
import { recordingOf } from '../recording/policy.ts';
import { takeCapacity } from './capacity.ts';
import { presentCall } from '../call-record/present.ts';
import type { QueueWait } from '../call-machine/state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import { createCallbackCall } from './begin.ts';
import type { Pending } from './commit.ts';
import { diallerOf, dialPlan, limitedTrunkIdsOf, trunkIdOf, withoutTrunks } from './dial-plan.ts';
import { priceOutbound } from './outbound-prices.ts';
import { mediaPathOf } from './media-path.ts';
import { transact } from '../announce-deliveries.ts';
import { isUniqueViolation } from '../sql-state.ts';

type Caller = { address: string | null; addressType: AddressType };

/**
 * Whether this caller has an address that the account may call. A SIP URI does not qualify: callers can put anything into it, and no one in
 * the account chose to call it. A WhatsApp user ID does: WhatsApp vouches for it, and it reaches nobody else.
 */
export function canBeCalledBack({ address, addressType }: Caller, rules: DestinationRules): boolean {
  if (address === null || addressType === 'SIP_URI') return false;
  const read =
    addressType === 'WHATSAPP_USER' ? readWhatsAppCustomer(address) : readCustomer(address, addressType);
  if (read.kind !== 'ok') return false;
  return read.number === null || destinationRefusal(read.number, rules) === null;
}

/** The flow without callback keys in its queues, for a caller who cannot be called back. */
export const withoutCallback = (flow: Flow): Flow => ({
  ...flow,
  lineQueue: flow.lineQueue.map(withoutCallbackKey),
  queues: Object.fromEntries(
    Object.entries(flow.queues).map(([id, stops]) => [id, stops.map(withoutCallbackKey)]),
  ),
});
export const withoutCallbackKey = (stop: OverflowHop): OverflowHop => ({ ...stop, callbackKey: null });

export type CallbackResult =
  /** `pending` null: the call existed already. */
  | { kind: 'created'; pending: Pending | null }
  /** The plan's limit of concurrent calls or of calls per minute is reached, or the service is overloaded. */
  | { kind: 'later' }
  /** The callback is not possible any more. The caller's call records the reason in its log. */
  | { kind: 'refused'; reason: string };

interface CallbackRequest {
  /** The caller's call, which has ended. */
  callId: number;
  wait: QueueWait;
  leaseNodeId: string;
  /** Absent: prices are read. */
  prices?: PriceBook;
}

export async function createCallback(
  db: Database,
  request: CallbackRequest,
  now: Date,
): Promise<CallbackResult> {
  const { callId } = request;
  try {
    return await transact(db, (tx) => create(tx, request, now));
  } catch (error) {
    if (error instanceof ApiError && LATER.includes(error.code))
      return (await isTooLate(db, callId, now))
        ? refuse(
            db,
            callId,
            "The account's limit of concurrent calls or of calls per minute was reached.",
            now,
          )
        : { kind: 'later' };
    if (error instanceof ApiError && (FINAL.includes(error.code) || isCreditRefusal(error)))
      return refuse(db, callId, error.message, now);
    if (isUniqueViolation(error)) return { kind: 'created', pending: null };
    throw error;
  }
}

/** Reasons that may soon be gone. */
const LATER: readonly ErrorCode[] = ['too_many_calls', 'rate_limited', 'overloaded'];
/** Refusals because of the price of the call. */
const FINAL: readonly ErrorCode[] = ['rate_too_high', 'destination_not_allowed'];
/** How long to retry: slightly less than the lifetime of outbox entries (outbox.ts), so that a failure is always recorded. */
const RETRY_FOR_MS = 100_000;

async function isTooLate(db: Tx, id: number, now: Date): Promise<boolean> {
  const call = await db.call.findUnique({ where: { id }, select: { endedAt: true } });
  if (!call?.endedAt) return false;
  return now.getTime() - call.endedAt.getTime() >= RETRY_FOR_MS;
}

const loadCall = (tx: Tx, id: number) =>
  tx.call.findUnique({ where: { id }, include: { tenant: { include: { consumer: true } } } });

async function create(
  tx: Tx,
  { callId, wait, leaseNodeId, prices = readPrices }: CallbackRequest,
  now: Date,
): Promise<CallbackResult> {
  if ((await tx.call.count({ where: { callbackOf: callId } })) > 0) return { kind: 'created', pending: null };
  const call = await loadCall(tx, callId);
  if (!call) return { kind: 'refused', reason: 'The call was erased.' };
  const { tenant } = call;
  const { customer, externalRef, consumerMetadata } = presentCall(call, tenant.ref, now);
  const line =
    call.channelId === null ? null : await tx.channel.findUnique({ where: { id: call.channelId } });
  const placing = line && (await diallerOf(tx, line));
  const { customerAddress: address } = call;
  const { addressType, name } = customer;
  const reason = reasonToRefuse({ caller: { address, addressType }, tenant, line });
  if (reason !== null || !line || !placing || address === null)
    return refuse(tx, callId, reason ?? 'The line cannot place calls any more.', now);
  const currentWait = await withExistingQueues(tx, wait);
  if (!currentWait) return refuse(tx, callId, 'The queue no longer exists.', now);
  const { consumer } = tenant;
  const lineOfCall = { consumer, tenant, channel: line };
  const priced = await priceOutbound(tx, prices, lineOfCall, { dialler: placing, address }, now);
  const limited = limitedTrunkIdsOf(priced.dialler);
  const dialler = withoutTrunks(priced.dialler, await takeCapacity({ db: tx, consumer, now }, limited));
  const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
  const pending = await createCallbackCall(
    tx,
    {
      consumerId: call.consumerId,
      tenantId: call.tenantId,
      channel: { id: line.id, ref: line.ref, type: line.type },
      sipTrunkId: trunkIdOf(dialler),
      limitedTrunkIds: limitedTrunkIdsOf(dialler),
      customer: { address, addressType, name },
      pricing: priced.pricing,
      record: recordingOf({ line, tenant, consumer }).enabled,
      mediaPath: mediaPathOf(settings, { personal: false, type: line.type }, 'OUTBOUND'),
      callbackOf: callId,
      dial: dialPlan(dialler, line, address),
      wait: currentWait,
      externalRef,
      consumerMetadata,
      leaseNodeId,
    },
    now,
  );
  return { kind: 'created', pending };
}

function reasonToRefuse({
  caller,
  tenant,
  line,
}: {
  caller: Caller;
  tenant: Pick<Tenant, 'status'> & { consumer: Consumer };
  line: Pick<Channel, 'status'> | null;
}): string | null {
  if (tenant.status !== 'ACTIVE') return 'The tenant is suspended.';
  if (tenant.consumer.status !== 'ACTIVE') return 'The account is suspended.';
  if (line?.status !== 'ACTIVE') return 'The line is disabled.';
  if (caller.address === null) return 'The caller withheld their number or has been erased.';
  return canBeCalledBack(caller, tenant.consumer) ? null : 'The plan does not allow calls to this number.';
}

/** Omits queues that were deleted meanwhile. Null: none is left. */
async function withExistingQueues(tx: Tx, wait: QueueWait): Promise<QueueWait | null> {
  const ids = wait.stops.map(({ queueId }) => queueId);
  const there = await tx.queue.findMany({ where: { id: { in: ids } }, select: { id: true } });
  const stops = wait.stops.filter(({ queueId }) => there.some(({ id }) => id === queueId));
  return stops.length > 0 ? { ...wait, stops } : null;
}

async function refuse(tx: Tx, callId: number, reason: string, now: Date): Promise<CallbackResult> {
  await tx.callLifecycle.create({
    data: { callId, type: 'CALLBACK_REFUSED', occurredAt: now, metadata: { reason } },
  });
  return { kind: 'refused', reason };
}
