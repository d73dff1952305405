/** Events are what calls are made from, not a record of them: they name people, and are kept only as long as repeats may come. */
import type { Tx } from '@clarion/db';

/** A platform that could not reach us tells again for days; what it tells is not taken for new within this time. */
export const WHATSAPP_EVENTS_KEPT_MS = 7 * 24 * 60 * 60_000;

export async function purgeWhatsAppEvents(db: Tx, now: Date): Promise<void> {
  const receivedAt = { lte: new Date(now.getTime() - WHATSAPP_EVENTS_KEPT_MS) };
  await db.whatsAppEvent.deleteMany({ where: { receivedAt } });
}
