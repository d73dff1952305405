/** Call row → call view: the one presenter behind /v1, webhook events and sockets. */
import { addressTypes, failureDetails, WITHHELD_ADDRESS } from '@clarion/protocol';
import type { AddressType, CallView, TerminationReason, Terminator } from '@clarion/protocol';
import type { Call } from '@clarion/db';

/** Rows of earlier versions have neither `providerCode` nor `reason`; a reason of a later version is not known here. */
const storedFailure = failureDetails.extend({
  providerCode: failureDetails.shape.providerCode.default(null),
  reason: failureDetails.shape.reason.catch(null),
});

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** Whole seconds from one moment to another, never negative; 0 where either is missing. */
const secondsBetween = (from: Date | null, to: Date | null) =>
  from && to ? Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000)) : 0;

const addressTypeOf = (text: string): AddressType => addressTypes.find((known) => known === text) ?? 'E164';

type CustomerColumns = Pick<
  Call,
  'customerAddress' | 'customerAddressType' | 'customerWithheld' | 'customerName'
>;

/** A withheld number is not stored; it is presented as `anonymous`. */
export const presentCustomer = (call: CustomerColumns): CallView['customer'] => ({
  address: call.customerWithheld ? WITHHELD_ADDRESS : call.customerAddress,
  addressType: addressTypeOf(call.customerAddressType),
  addressWithheld: call.customerWithheld,
  name: call.customerName,
});

/** `tenantRef` is the tenant's ref; `now` bounds the durations of a call that has not ended. */
export function presentCall(call: Call, tenantRef: string, now: Date): CallView {
  const until = call.endedAt ?? now;
  const failure = storedFailure.safeParse(call.failureDetails);
  return {
    callId: call.id,
    tenantRef,
    status: call.status,
    direction: call.direction,
    channelId: call.channelId,
    channelRef: call.channelRef,
    channelType: call.channelType,
    queueId: call.queueId,
    queueRef: call.queueRef,
    agentId: call.agentId,
    agentRef: call.agentRef,
    customer: presentCustomer(call),
    externalRef: call.externalRef,
    consumerMetadata: isRecord(call.consumerMetadata) ? call.consumerMetadata : null,
    // Only the engine writes these two columns, with values of the protocol's unions.
    terminationReason: call.terminationReason as TerminationReason | null,
    terminatedBy: call.terminatedBy as Terminator | null,
    failureDetails: failure.success ? failure.data : null,
    mediaPath: call.mediaPath,
    durations: {
      ring: secondsBetween(call.ringingAt, call.answeredAt ?? until),
      wait: secondsBetween(call.queuedAt, call.answeredAt ?? until),
      call: secondsBetween(call.answeredAt, until),
      total: secondsBetween(call.createdAt, until),
    },
    createdAt: call.createdAt.toISOString(),
    ringingAt: iso(call.ringingAt),
    queuedAt: iso(call.queuedAt),
    answeredAt: iso(call.answeredAt),
    endedAt: iso(call.endedAt),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
