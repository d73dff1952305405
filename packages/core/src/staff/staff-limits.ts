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
/**
 * Wrong passwords allowed on top of `FREE_TRIES` after a person set a password with a link. An attacker who keeps guessing cannot lock
 * them out again before they have signed in. A sign-in page with two factors takes about half a minute; one client address has 60 tries a minute.
 */
export const TRIES_AFTER_LINK = 100;
/** Codes for when the phone is gone, made when two factors are set up. */
export const RECOVERY_CODES = 10;
