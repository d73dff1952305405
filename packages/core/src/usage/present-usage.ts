/** Rows of usage records → resources. Pure. */
import type { Prisma, UsageRecord } from '@clarion/db';
import { trunkOwners } from '@clarion/protocol/v1/report/usage';
import type { UsageResource } from '@clarion/protocol/v1/report/usage';

export function presentUsage(row: UsageRecord): UsageResource {
  const { carrierCost, carrierCurrency, platformCost, platformCurrency } = row;
  const isRated = carrierCost !== null;
  return {
    id: row.id,
    callId: row.callId,
    tenantRef: row.tenantRef,
    kind: row.kind,
    direction: row.direction,
    channelType: row.channelType,
    trunkOwner: trunkOwners.find((owner) => owner === row.trunkOwner) ?? null,
    seconds: row.seconds,
    connectedSeconds: row.kind === 'CALL' ? row.connectedSeconds : null,
    billedSeconds: row.billedSeconds ?? (isEmpty(row) ? 0 : null),
    day: row.day?.toISOString().slice(0, DATE_CHARS) ?? null,
    quantity: row.quantity && amountText(row.quantity),
    carrierCost: {
      amount: carrierCost && amountText(carrierCost),
      currency: isRated ? carrierCurrency : null,
      status: isRated ? 'RATED' : 'NO_RATE',
      reason: isRated ? null : reasonOf(row),
      entryId: row.carrierEntryId,
    },
    tenantCharges: chargesOf(row),
    platformCost:
      platformCost === null || platformCurrency === null
        ? null
        : { amount: amountText(platformCost), currency: platformCurrency },
    createdAt: row.createdAt.toISOString(),
  };
}

/** `YYYY-MM-DD` */
const DATE_CHARS = 10;

const amountText = (amount: Prisma.Decimal): string => amount.toFixed();

/** A call that was not answered, or a recording without a sound. */
const isEmpty = ({ kind, seconds, connectedSeconds }: UsageRecord): boolean =>
  kind === 'CALL' ? connectedSeconds === 0 : kind === 'RECORDING' && seconds === 0;

function chargesOf(row: UsageRecord): UsageResource['tenantCharges'] {
  const { tenantCharge, tenantCurrency, tenantMethod, tenantMarkup, tenantEntryId } = row;
  if (tenantCharge === null || tenantCurrency === null || tenantMethod === null) return [];
  return [
    {
      amount: amountText(tenantCharge),
      currency: tenantCurrency,
      method: tenantMethod,
      markupPercent: tenantMarkup && amountText(tenantMarkup),
      entryId: tenantEntryId,
    },
  ];
}

function reasonOf(row: UsageRecord): string {
  if (row.kind !== 'CALL') return 'Only calls have a carrier cost.';
  if (row.connectedSeconds === 0) return 'The call was not answered.';
  if (row.trunkOwner === null) return 'The call did not use a trunk.';
  if (row.trunkOwner === 'PLATFORM') return 'The call used a platform trunk; see its platform cost.';
  if (row.numberErased) return 'The call was erased before it had a price.';
  if (row.carrierReason === 'not_a_number') return 'The number called is not a telephone number.';
  if (row.carrierReason === 'no_entry') return 'The rate deck of the trunk has no price for this number.';
  return 'No rate deck applies to this call.';
}
