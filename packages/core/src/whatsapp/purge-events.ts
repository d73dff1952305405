/** Events are the input of calls, not their record. They contain names, so they are kept only as long as repetitions may arrive. */
import type { Tx } from '@clarion/db';

/** If we were unavailable, the platform repeats webhooks for days. Within this time a repetition is recognised. */
export const WHATSAPP_EVENTS_KEPT_MS = 7 * 24 * 60 * 60_000;

export async function purgeWhatsAppEvents(db: Tx, now: Date): Promise<void> {
  const receivedAt = { lte: new Date(now.getTime() - WHATSAPP_EVENTS_KEPT_MS) };
  await db.whatsAppEvent.deleteMany({ where: { receivedAt } });
}
