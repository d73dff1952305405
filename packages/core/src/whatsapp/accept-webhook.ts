/**
 * Extracts the call events of our lines from a WhatsApp webhook and stores them. The engine is notified (`clarion_whatsapp`, with the row's
 * ID). Repeated webhooks are stored once, even if they arrive concurrently. Customers' replies to permission requests change the ledger.
 * The payloads are not changes by a person, so there is no audit entry.
 */
import { notify } from '@clarion/db';
import type { Tx } from '@clarion/db';
import { inTransaction } from '../context.ts';
import { readPermissionReplies } from '../whatsapp-graph/read-permission-replies.ts';
import type { PermissionReply } from '../whatsapp-graph/read-permission-replies.ts';
import { recordPermission } from './permission-ledger.ts';
import { readWhatsAppWebhook } from './read-webhook.ts';
import type { WhatsAppCallEvent } from './read-webhook.ts';

export interface WhatsAppIngress {
  db: Tx;
  now: Date;
}

interface Line {
  id: number;
  ref: string;
  tenantId: number;
  tenantRef: string;
  consumerId: number;
  providerAccountId: string;
}

/**
 * @param consumerId accept only its lines: a consumer that forwards webhooks may do so only for its own; null: all lines
 * @returns how many events were new
 */
export async function acceptWhatsAppWebhook(
  ingress: WhatsAppIngress,
  webhook: unknown,
  consumerId: number | null,
): Promise<number> {
  const events = readWhatsAppWebhook(webhook);
  const replies = readPermissionReplies(webhook);
  if (events.length + replies.length === 0) return 0;
  return inTransaction(ingress, async ({ db, now }) => {
    const lines = await linesOf(db, [...events, ...replies], consumerId);
    await recordReplies(db, replies, lines, now);
    const data = events.flatMap((event) => {
      const line = lines.get(event.phoneNumberId);
      return line ? [rowOf(event, line, now)] : [];
    });
    if (data.length === 0) return 0;
    const stored = await db.whatsAppEvent.createManyAndReturn({
      data,
      skipDuplicates: true,
      select: { id: true },
    });
    for (const { id } of stored) await notify(db, 'clarion_whatsapp', id);
    return stored.length;
  });
}

/** Locked until the events are stored, so that no line is deleted in between. */
async function linesOf(
  db: Tx,
  events: readonly { phoneNumberId: string }[],
  consumerId: number | null,
): Promise<Map<string, Line>> {
  const accounts = [...new Set(events.map(({ phoneNumberId }) => phoneNumberId))];
  const lines = await db.$queryRaw<Line[]>`
    select c."id", c."ref", c."tenantId", t."ref" as "tenantRef", t."consumerId", c."providerAccountId"
    from "Channel" c join "Tenant" t on t."id" = c."tenantId"
    where c."providerAccountId" = any(${accounts}) and c."type" = 'WHATSAPP'
      and (${consumerId}::int is null or t."consumerId" = ${consumerId}::int)
    order by c."id"
    for key share of c`;
  return new Map(lines.map((line) => [line.providerAccountId, line]));
}

/** In the order of customers, so that concurrent webhooks with the same customers cannot deadlock. */
async function recordReplies(
  db: Tx,
  replies: readonly PermissionReply[],
  lines: ReadonlyMap<string, Line>,
  now: Date,
): Promise<void> {
  const key = ({ phoneNumberId, customerAddress }: PermissionReply) => `${phoneNumberId} ${customerAddress}`;
  for (const reply of replies.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))) {
    const line = lines.get(reply.phoneNumberId);
    if (!line) continue;
    const { accepted, permanent, expiresAt, userId } = reply;
    const { id, ref, tenantId, tenantRef, consumerId } = line;
    await recordPermission(
      db,
      { id, ref, tenant: { id: tenantId, ref: tenantRef, consumerId } },
      { address: reply.customerAddress, userId },
      { kind: 'replied', at: reply.occurredAt ?? now, accepted, permanent, expiresAt },
      now,
    );
  }
}

const rowOf = (event: WhatsAppCallEvent, line: Line, now: Date) => ({
  consumerId: line.consumerId,
  channelId: line.id,
  whatsAppCallId: event.call.id,
  type: event.call.event,
  digest: event.digest,
  customerAddress: event.customerAddress,
  payload: event.call,
  occurredAt: event.occurredAt,
  receivedAt: now,
});
