import type { Tx } from '@clarion/db';
import { ENDED_KEPT_MS } from './session-limits.ts';

/** The links in emails expire after a week at the latest. */
const MAIL_KEPT_MS = 14 * 24 * 60 * 60_000;

/** A node whose clock is slow accepts a token after others consider it expired, so its use is stored for longer. */
const LAUNCH_USE_KEPT_MS = 60 * 60_000;

/** Deletes sessions and links that ended long ago, the uses of launch tokens that have expired, and old emails. */
export async function purgeSessions(db: Tx, now: Date): Promise<void> {
  const before = new Date(now.getTime() - ENDED_KEPT_MS);
  await db.dashboardSession.deleteMany({
    where: { OR: [{ expiresAt: { lt: before } }, { revokedAt: { lt: before } }] },
  });
  await db.staffTicket.deleteMany({ where: { expiresAt: { lt: before } } });
  const launchedBefore = new Date(now.getTime() - LAUNCH_USE_KEPT_MS);
  await db.launchTokenUse.deleteMany({ where: { expiresAt: { lt: launchedBefore } } });
  await db.mail.deleteMany({ where: { createdAt: { lt: new Date(now.getTime() - MAIL_KEPT_MS) } } });
}
