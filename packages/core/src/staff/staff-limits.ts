/** How often somebody may try, and how long what was mailed to them works. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Wrong tries in a row until no password is looked at for a while. */
export const FREE_TRIES = 5;
/** The first while; each further wrong try doubles it. */
export const LOCK_FIRST_MS = MINUTE_MS;
export const LOCK_MAX_MS = HOUR_MS;
/** A refusal takes at least this long, whoever is asked for: what it took to look tells nothing. */
export const REFUSAL_MIN_MS = 350;

export const INVITATION_MS = 7 * 24 * HOUR_MS;
export const RESET_MS = HOUR_MS;
/** Nobody's mailbox is filled by somebody else: one reset mail a person in this time. */
export const RESET_EVERY_MS = MINUTE_MS;
/** Codes for when the phone is gone, made when two factors are set up. */
export const RECOVERY_CODES = 10;
