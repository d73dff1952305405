/**
 * Limits of every transaction for which a request or a call waits, in milliseconds: the wait for a connection under load, and the duration.
 */
export const TRANSACTION_LIMITS = { maxWait: 10_000, timeout: 15_000 };
