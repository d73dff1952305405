/** How long a person stays signed in to the dashboard. */
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** A session without requests for this long expires. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** Every session expires after this, whatever its use. */
export const SESSION_MAX_MS = 7 * DAY_MS;
/** Expired sessions are kept this long for investigations. */
export const ENDED_KEPT_MS = 30 * DAY_MS;

/** For sessions that are not revoked. */
export const isOver = (
  { lastSeenAt, expiresAt }: { lastSeenAt: Date; expiresAt: Date },
  now: Date,
): boolean => expiresAt <= now || now.getTime() - lastSeenAt.getTime() >= SESSION_IDLE_MS;
