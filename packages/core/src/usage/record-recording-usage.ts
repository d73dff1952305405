/** The usage record of a recording. That of a call is written by the statement that ends the call (`record_call_usage`). */
import type { Recording, Tx } from '@clarion/db';

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
