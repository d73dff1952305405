/** A number is verified by the first inbound call that reaches its line: the carrier then sends its calls to us. */
import type { Database } from '@clarion/db';

export interface ReachedNumber {
  trunkId: number;
  channelId: number;
  number: string;
  at: Date;
}

/** No effect for numbers that are verified, or that have been assigned to another line meanwhile. In the order of IDs, against deadlocks. */
export async function verifyNumbers(db: Database, reached: readonly ReachedNumber[]): Promise<void> {
  await db.$executeRaw`
    with unverified as (
      select p."id", r."at" from json_to_recordset(${JSON.stringify(reached)}::json)
        as r("trunkId" int, "channelId" int, "number" text, "at" timestamptz)
      join "PhoneNumber" p on p."channelId" = r."channelId" and p."sipTrunkId" = r."trunkId" and p."number" = r."number"
      where p."verifiedAt" is null
      order by p."id"
      for update of p)
    update "PhoneNumber" p set "verifiedAt" = u."at" from unverified u where p."id" = u."id"`;
}
