/** Writes the usage record of a call, in the transaction that ends it. Every ended call has one; an unanswered call has 0 seconds. */
import type { Recording, Tx } from '@clarion/db';

/** The largest value of the column: 68 years of talk time. */
const MAX_SECONDS = 2_147_483_647;

export async function recordCallUsage(tx: Tx, callId: number, now: Date): Promise<void> {
  await tx.$executeRaw`
    insert into "UsageRecord" ("consumerId", "tenantId", "tenantRef", "callId", "kind", "direction", "channelType",
      "trunkOwner", "sipTrunkId", "seconds", "createdAt")
    select c."consumerId", c."tenantId", t."ref", c."id", 'CALL', c."direction", c."channelType",
      case when s."id" is null then null when s."consumerId" is null then 'PLATFORM' else 'CONSUMER' end, c."sipTrunkId",
      least(coalesce(call_talk_seconds(c."answeredAt", c."endedAt"), 0), ${MAX_SECONDS})::int, ${now}
    from "Call" c join "Tenant" t on t."id" = c."tenantId" left join "SipTrunk" s on s."id" = c."sipTrunkId"
    where c."id" = ${callId}
    on conflict ("callId", "kind") do nothing`;
}

/** The usage of a finished recording: its duration. A recording that never arrives has none. */
export async function recordRecordingUsage(
  tx: Tx,
  { callId, durationSeconds }: Pick<Recording, 'callId' | 'durationSeconds'>,
  now: Date,
): Promise<void> {
  await tx.$executeRaw`
    insert into "UsageRecord" ("consumerId", "tenantId", "tenantRef", "callId", "kind", "direction", "channelType",
      "trunkOwner", "sipTrunkId", "seconds", "createdAt")
    select c."consumerId", c."tenantId", t."ref", c."id", 'RECORDING', c."direction", c."channelType",
      case when s."id" is null then null when s."consumerId" is null then 'PLATFORM' else 'CONSUMER' end, c."sipTrunkId",
      ${durationSeconds ?? 0}::int, ${now}
    from "Call" c join "Tenant" t on t."id" = c."tenantId" left join "SipTrunk" s on s."id" = c."sipTrunkId"
    where c."id" = ${callId}
    on conflict ("callId", "kind") do nothing`;
}
