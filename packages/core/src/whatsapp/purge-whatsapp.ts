/** Retention of the rows about WhatsApp customers. */
import type { Database } from '@clarion/db';

const DAY_MS = 24 * 60 * 60_000;
/** A permission that nothing was reported about for a year says little, and it is personal data. */
export const PERMISSIONS_KEPT_MS = 365 * DAY_MS;
/** Meta's IDs of calls contain numbers. Webhooks about a call arrive within days, and no call lasts as long. */
export const WHATSAPP_CALLS_KEPT_MS = 30 * DAY_MS;

export async function purgeWhatsApp(db: Database, now: Date): Promise<void> {
  const before = (ms: number) => ({ lt: new Date(now.getTime() - ms) });
  await db.whatsAppPermission.deleteMany({ where: { updatedAt: before(PERMISSIONS_KEPT_MS) } });
  await db.whatsAppCall.deleteMany({ where: { createdAt: before(WHATSAPP_CALLS_KEPT_MS) } });
}
