/**
 * Admits an inbound call on a line, whatever the provider: the line's route, recording and media path as of now, the limit of concurrent
 * calls, and the call's rows. The callers know where the call comes from: create-inbound-call.ts (SIP), create-whatsapp-call.ts.
 */
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { AddressType, FailureCode } from '@clarion/protocol';
import type { Database, Tx } from '@clarion/db';
import type { LoadedBeginning } from '../call-store/loaded.ts';
import { isCreditRefusal } from '../ledger/outbound-refusal.ts';
import { choosePrices } from '../price-book/choose-prices.ts';
import type { PricedTrunk } from '../price-book/choose-prices.ts';
import type { PriceBook } from '../price-book/price-book.ts';
import { readPrices } from '../price-book/read-prices.ts';
import { recordingOf } from '../recording/policy.ts';
import { retrying } from '../retry-on-conflict.ts';
import { insertInboundCall } from './begin.ts';
import type { EndOnArrival, InsertedInboundCall, OfferInFirstStep } from './begin.ts';
import { canBeCalledBack } from './callback.ts';
import { routeOfLine } from './line-route.ts';
import type { InboundLine } from './line-route.ts';
import { mediaPathOf } from './media-path.ts';
import type { StepMemory } from './step-memory.ts';

export interface AdmitContext {
  /** The realtime node that keeps the call's timers. */
  nodeId: string;
  /** Maximum duration of a call; absent: DEFAULT_MAX_CALL_SECONDS. */
  maxCallSeconds?: number;
  memory?: StepMemory;
  /** Absent: prices are read. */
  prices?: PriceBook;
}

export interface ArrivingCall {
  /** `address` null: withheld. */
  caller: { address: string | null; addressType: AddressType; name: string | null };
  sipTrunkId: number | null;
  /** The digits of the number called; null: not known. */
  number: string | null;
  /** The same trunk, with what prices calls that arrive on it. */
  pricedTrunk?: PricedTrunk;
  /** As for every new call. */
  limitedTrunkIds?: readonly number[];
  inviteId: string | null;
  mediaNodeId: string;
  carrierLegId: string;
  /** It is recorded, and nobody is rung. */
  endsOnArrival?: EndOnArrival | undefined;
  /** Nobody is rung for longer while the caller hears ringing, in milliseconds since the epoch; absent: no limit. */
  ringUntil?: number;
  /** What the call begins from, if it has been loaded already and reserves no agent. */
  loaded?: LoadedBeginning | null;
  offer?: OfferInFirstStep;
  /** Called once the route is known, before anything is written; may throw. */
  beforeInsert?: () => void;
}

/** Why the account takes no calls at all: such a call is not recorded. Null: it takes them. */
export const refusedByAccount = ({ tenant }: Pick<InboundLine, 'tenant'>): FailureCode | null =>
  tenant.consumer.status === 'SUSPENDED' ? 'account_suspended' : null;

/**
 * Begins the call, or records it as refused.
 *
 * @param attempt runs the work again after a conflict, and undoes it if it throws
 * @throws 409 too_many_calls; a unique violation if the INVITE has a call or was withdrawn
 */
export async function admitInboundCall(
  db: Tx | Database,
  context: AdmitContext,
  line: InboundLine,
  arriving: ArrivingCall,
  now: Date,
  attempt: <T>(work: () => Promise<T>) => Promise<T> = retrying,
): Promise<InsertedInboundCall> {
  try {
    return await attempt(() => admit(db, context, line, arriving, now));
  } catch (error) {
    if (!isCreditRefusal(error)) throw error;
    // It is recorded, so that the consumer learns who called.
    return attempt(() => admit(db, context, line, { ...arriving, endsOnArrival: 'no-credit' }, now));
  }
}

async function admit(
  db: Tx | Database,
  context: AdmitContext,
  line: InboundLine,
  arriving: ArrivingCall,
  now: Date,
): Promise<InsertedInboundCall> {
  const { tenant } = line;
  const { caller } = arriving;
  const [queue] = line.stops;
  const route = await routeOfLine(db, line, canBeCalledBack(caller, tenant.consumer));
  const pricing = await choosePrices(
    db,
    context.prices ?? readPrices,
    {
      direction: 'INBOUND',
      channelType: line.type,
      number: arriving.number,
      trunks: arriving.pricedTrunk ? [arriving.pricedTrunk] : [],
      accountPlanId: tenant.consumer.pricePlanId,
      tenantPlanId: tenant.pricePlanId,
    },
    now,
  );
  arriving.beforeInsert?.();
  const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
  return insertInboundCall(
    db,
    {
      consumerId: tenant.consumerId,
      tenantId: tenant.id,
      channel: { id: line.id, ref: line.ref, type: line.type },
      sipTrunkId: arriving.sipTrunkId,
      ...(arriving.limitedTrunkIds && { limitedTrunkIds: arriving.limitedTrunkIds }),
      customer: { ...caller, name: caller.address === null ? null : caller.name },
      record: recordingOf({ line, tenant, consumer: tenant.consumer }).enabled,
      pricing,
      mediaPath: mediaPathOf(settings, { personal: line.owner !== null, type: line.type }, 'INBOUND'),
      inviteId: arriving.inviteId,
      mediaNodeId: arriving.mediaNodeId,
      carrierLegId: arriving.carrierLegId,
      queue: queue ? { id: queue.queueId, ref: queue.ref } : null,
      route,
      endsOnArrival: arriving.endsOnArrival,
      ringUntil: arriving.ringUntil,
      lookup: tenant.consumer.lookupUrl !== null,
      leaseNodeId: context.nodeId,
      maxCallSeconds: context.maxCallSeconds,
      loaded: arriving.loaded ?? null,
      ...(arriving.offer && { offer: arriving.offer }),
      memory: context.memory,
    },
    now,
  );
}
