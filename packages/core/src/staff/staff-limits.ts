/** How often somebody may try, and how long what was mailed to them works. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Wrong tries in a row until no password is looked at for a while. */
export const FREE_TRIES = 5;
/** The first while; each further wrong try doubles it. */
export const LOCK_FIRST_MS = MINUTE_MS;
export const LOCK_MAX_MS = HOUR_MS;
/** A refusal takes at least this long, whoever is asked for: what it took to look tells nothing. */
export const REFUSAL_MIN_MS = 350;

export const INVITATION_MS = 7 * DAY_MS;
export const RESET_MS = HOUR_MS;
/**
 * Limits on reset mails to one person, so that others cannot flood their mailbox: one a minute, and these per hour and day. A person
 * at the limit still has a link that works: links last an hour, and the last one of a day lasts a day.
 */
export const RESET_EVERY_MS = MINUTE_MS;
export const RESET_MAILS = { perHour: 3, perDay: 10 } as const;
export const RESET_WINDOWS_MS = { hour: HOUR_MS, day: DAY_MS } as const;
/** How long somebody may take to sign in after setting a password with a link: long enough to fetch the phone with the authenticator. */
export const SIGN_IN_AFTER_LINK_MS = 10 * MINUTE_MS;
/** Codes of the second factor that may be tried then. */
export const CODES_AFTER_LINK = 5;
/** Codes for when the phone is gone, made when two factors are set up. */
export const RECOVERY_CODES = 10;
