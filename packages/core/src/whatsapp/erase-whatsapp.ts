/** Removes a WhatsApp customer from the rows besides calls: webhooks, permissions and the events about them. */
import type { Tx } from '@clarion/db';

/**
 * The other addresses of the customer: a person may be known by number in one call and by user ID in another. Includes the given forms.
 *
 * @param forms the forms of the address that was given
 */
export async function linkedAddresses(tx: Tx, tenantId: number, forms: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ address: string }[]>`
    with pairs as (
      select p."customerAddress" as address, p."userId" as "userId"
      from "WhatsAppPermission" p join "Channel" c on c."id" = p."channelId"
      where c."tenantId" = ${tenantId} and p."userId" is not null
        and (p."customerAddress" = any(${forms}::text[]) or p."userId" = any(${forms}::text[]))
      union
      select e."customerAddress", e."payload" ->> 'userId'
      from "WhatsAppEvent" e join "Channel" c on c."id" = e."channelId"
      where c."tenantId" = ${tenantId} and e."payload" ->> 'userId' is not null
        and (e."customerAddress" = any(${forms}::text[]) or e."payload" ->> 'userId' = any(${forms}::text[]))
    )
    select address from pairs where address is not null union select "userId" from pairs`;
  return [...new Set([...forms, ...rows.map(({ address }) => address)])];
}

export interface ErasedWhatsApp {
  whatsAppEvents: number;
  permissions: number;
}

export async function eraseWhatsApp(
  tx: Tx,
  tenantId: number,
  addresses: readonly string[],
): Promise<ErasedWhatsApp> {
  // The digest stays, so that a repeated webhook is recognised. The platform's call ID contains the number. Webhooks of a call in progress
  // are still needed; they are erased with the call when it has ended.
  const whatsAppEvents = await tx.$executeRaw`
    with found as (
      select e."id", e."channelId", e."whatsAppCallId"
      from "WhatsAppEvent" e join "Channel" c on c."id" = e."channelId"
      where c."tenantId" = ${tenantId} and e."customerAddress" = any(${addresses}::text[])
        and not exists (
          select from "WhatsAppCall" w join "LiveCall" l on l."callId" = w."callId"
          where w."channelId" = e."channelId" and w."whatsAppCallId" = e."whatsAppCallId"
        )
    ), gone as (
      delete from "WhatsAppCall" w using found
      where w."channelId" = found."channelId" and w."whatsAppCallId" = found."whatsAppCallId" and w."callId" is null
    )
    update "WhatsAppEvent" e set "customerAddress" = null, "whatsAppCallId" = '', "payload" = '{}',
      "takenAt" = coalesce(e."takenAt", e."receivedAt")
    from found where found."id" = e."id"`;
  const permissions = await tx.$executeRaw`
    delete from "WhatsAppPermission" p using "Channel" c
    where c."id" = p."channelId" and c."tenantId" = ${tenantId}
      and (p."customerAddress" = any(${addresses}::text[]) or p."userId" = any(${addresses}::text[]))`;
  await tx.$executeRaw`
    delete from "Event"
    where "tenantId" = ${tenantId} and "type" = 'whatsapp.permission_changed'
      and ("body"::jsonb #>> '{data,permission,customer,address}' = any(${addresses}::text[])
        or "body"::jsonb #>> '{data,permission,customer,userId}' = any(${addresses}::text[]))`;
  // Responses stored under an Idempotency-Key. The row stays, so that a retry does not ask the customer again.
  await tx.$executeRaw`
    update "IdempotencyKey" k set "body" = to_jsonb('{}'::text)
    from "Tenant" t
    where t."id" = ${tenantId} and k."consumerId" = t."consumerId" and k."callId" is null
      and starts_with(k."body" #>> '{}', '{"permission":')
      and exists (
        select from unnest(${addresses}::text[]) as a(address)
        where strpos(k."body" #>> '{}', to_json(a.address)::text) > 0
      )`;
  return { whatsAppEvents, permissions };
}

/** Removes what Meta reported about calls that are deleted or whose customer is erased. */
export async function removeWhatsAppCalls(tx: Tx, callIds: readonly number[]): Promise<void> {
  await tx.$executeRaw`
    with gone as (
      delete from "WhatsAppCall" where "callId" = any(${callIds}::int[]) returning "channelId", "whatsAppCallId"
    )
    update "WhatsAppEvent" e set "customerAddress" = null, "whatsAppCallId" = '', "payload" = '{}',
      "takenAt" = coalesce(e."takenAt", e."receivedAt")
    from gone where e."channelId" = gone."channelId" and e."whatsAppCallId" = gone."whatsAppCallId"`;
}
