/** Limits on attempts, and lifetimes of links in emails. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Failed attempts in a row before sign-in is locked. */
export const FREE_ATTEMPTS = 5;
/** Duration of the first lock; each further failed attempt doubles it. */
export const LOCK_FIRST_MS = MINUTE_MS;
export const LOCK_MAX_MS = HOUR_MS;
/** A failure takes at least this long, so that its duration reveals nothing about the account. */
export const REFUSAL_MIN_MS = 350;

export const INVITATION_MS = 7 * DAY_MS;
export const RESET_MS = HOUR_MS;
/**
 * Limits on reset emails to one person, so that others cannot flood their mailbox: one a minute, and these per hour and day. A person at
 * the limit still has a valid link: links last an hour, and the last one of a day lasts a day.
 */
export const RESET_EVERY_MS = MINUTE_MS;
export const RESET_MAILS = { perHour: 3, perDay: 10 } as const;
export const RESET_WINDOWS_MS = { hour: HOUR_MS, day: DAY_MS } as const;
/** How long a person has to sign in after setting a password with a link: long enough to fetch the phone with the authenticator. */
export const SIGN_IN_AFTER_LINK_MS = 10 * MINUTE_MS;
/** Attempts at the second factor during that time. */
export const CODES_AFTER_LINK = 5;
/** Recovery codes, created when two-factor authentication is enabled. */
export const RECOVERY_CODES = 10;
