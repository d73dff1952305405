import type { Tx } from '@clarion/db';
import { OVER_KEPT_MS } from './session-limits.ts';

/** Mails are for a week at most: what they link to is over by then. */
const MAIL_KEPT_MS = 14 * 24 * 60 * 60_000;

/** A node whose clock is behind still takes a token that is over for others: its use is remembered for longer. */
const LAUNCH_USE_KEPT_MS = 60 * 60_000;

/** Sessions and links that have long been over, launch tokens that would be refused for their age by now, mails long sent. */
export async function purgeSessions(db: Tx, now: Date): Promise<void> {
  const before = new Date(now.getTime() - OVER_KEPT_MS);
  await db.dashboardSession.deleteMany({
    where: { OR: [{ expiresAt: { lt: before } }, { revokedAt: { lt: before } }] },
  });
  await db.staffTicket.deleteMany({ where: { expiresAt: { lt: before } } });
  const launchedBefore = new Date(now.getTime() - LAUNCH_USE_KEPT_MS);
  await db.launchTokenUse.deleteMany({ where: { expiresAt: { lt: launchedBefore } } });
  await db.mail.deleteMany({ where: { createdAt: { lt: new Date(now.getTime() - MAIL_KEPT_MS) } } });
}
