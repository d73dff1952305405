/** The usage record of a recording. That of a call is written by the statement that ends the call (`record_call_usage`). */
import type { Recording, Tx } from '@clarion/db';
import { plansOf, pricesWithoutNumber } from '../price-book/choose-prices.ts';
import { readPrices } from '../price-book/read-prices.ts';
import type { UsageFacts } from '../rating/price-item.ts';
import { usagePrices } from '../rating/call-pricing.ts';

interface Facts extends Omit<UsageFacts, 'kind'> {
  consumerId: number;
  tenantId: number;
  tenantRef: string;
  sipTrunkId: number | null;
  accountPlanId: number | null;
  tenantPlanId: number | null;
}

/** The usage of a finished recording: its duration, at the prices of now. A recording that never arrives has none. */
export async function recordRecordingUsage(
  tx: Tx,
  { callId, durationSeconds }: Pick<Recording, 'callId' | 'durationSeconds'>,
  now: Date,
): Promise<void> {
  const [facts] = await tx.$queryRaw<Facts[]>`
    select c."consumerId", c."tenantId", t."ref" as "tenantRef", c."direction", c."channelType", c."sipTrunkId",
      case when s."id" is null then null when s."consumerId" is null then 'PLATFORM' else 'CONSUMER' end as "trunkOwner",
      a."pricePlanId" as "accountPlanId", t."pricePlanId" as "tenantPlanId"
    from "Call" c join "Tenant" t on t."id" = c."tenantId" join "Consumer" a on a."id" = c."consumerId"
      left join "SipTrunk" s on s."id" = c."sipTrunkId"
    where c."id" = ${callId}`;
  if (!facts) return;
  const { accountPlanId, tenantPlanId, ...row } = facts;
  const plans = await plansOf(tx, readPrices, { accountPlanId, tenantPlanId });
  const prices = await pricesWithoutNumber(plans, { ...row, kind: 'RECORDING' });
  const seconds = durationSeconds ?? 0;
  await tx.usageRecord.createMany({
    data: {
      ...row,
      callId,
      kind: 'RECORDING',
      seconds,
      ...usagePrices({ trunkId: null, ...prices }, seconds),
      createdAt: now,
    },
    skipDuplicates: true,
  });
}
