/** How long somebody stays signed in to the dashboard. */
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Without a request for this long a session is over. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** However busy it is, it is over after this. */
export const SESSION_MAX_MS = 7 * DAY_MS;
/** Sessions that are over are kept this long for whoever looks into what happened. */
export const OVER_KEPT_MS = 30 * DAY_MS;

/** Of a session that is not revoked. */
export const isOver = (
  { lastSeenAt, expiresAt }: { lastSeenAt: Date; expiresAt: Date },
  now: Date,
): boolean => expiresAt <= now || now.getTime() - lastSeenAt.getTime() >= SESSION_IDLE_MS;
