/** What the realtime nodes look for periodically: WhatsApp calls that a lost notification or a dead process has left behind. */
import { Prisma, runPrepared } from '@clarion/db';
import type { Database, Tx } from '@clarion/db';
import type { MetaCall } from './whatsapp-call.ts';

const MOST = 100;
/** A connect or accept request, its repetition included, is answered or given up within this time. */
export const REQUEST_INTERRUPTED_MS = 20_000;

export interface DueCalls {
  /** Calls with events that were not taken, oldest first. */
  untaken: MetaCall[];
  /** Calls whose end is undecided for too long. */
  unsettled: MetaCall[];
  /** Live calls of ours whose connect or accept request was sent by a process that died before it knew the result. */
  interrupted: { callId: number; request: 'connect' | 'accept' }[];
}

interface Row {
  untaken: MetaCall[] | null;
  unsettled: MetaCall[] | null;
  interrupted: DueCalls['interrupted'] | null;
}

/** One statement, which reads only indexes of what is open. */
export async function dueCalls(db: Database, now: Date): Promise<DueCalls> {
  const interruptedBefore = new Date(now.getTime() - REQUEST_INTERRUPTED_MS);
  const [row] = await runPrepared<Row>(
    db,
    Prisma.sql`
    select
      (select json_agg(d) from (
        select "channelId", "whatsAppCallId" from "WhatsAppEvent" where "takenAt" is null
        group by 1, 2 order by min("id") limit ${MOST}) d) as "untaken",
      (select json_agg(d) from (
        select "channelId", "whatsAppCallId" from "WhatsAppCall"
        where "settleAt" <= ${now} order by "settleAt" limit ${MOST}) d) as "unsettled",
      (select json_agg(d) from (
        select l."callId", case when w."whatsAppCallId" is null then 'connect' else 'accept' end as "request"
        from "LiveCall" l join "WhatsAppCall" w on w."callId" = l."callId"
        where (w."whatsAppCallId" is null and w."createdAt" < ${interruptedBefore})
          or (w."acceptSentAt" < ${interruptedBefore} and w."acceptedAt" is null)
        limit ${MOST}) d) as "interrupted"`,
  );
  return {
    untaken: row?.untaken ?? [],
    unsettled: row?.unsettled ?? [],
    interrupted: row?.interrupted ?? [],
  };
}

/**
 * Whether events of an unknown call may be about a call of the line that is being placed and whose ID is not known yet. Other systems may
 * place calls from the same number.
 *
 * @param since when the events arrived
 */
export async function mayBePlacing(tx: Tx, channelId: number, since: Date, now: Date): Promise<boolean> {
  const requestedSince = new Date(now.getTime() - REQUEST_INTERRUPTED_MS);
  if (since < requestedSince) return false;
  const row = await tx.whatsAppCall.findFirst({
    where: { channelId, whatsAppCallId: null, createdAt: { gte: requestedSince } },
    select: { id: true },
  });
  return row !== null;
}
