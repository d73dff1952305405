/**
 * Limits of every transaction that a request or a call waits for, in milliseconds: under load it waits this long for a connection
 * rather than fails, and may take this long in all.
 */
export const TRANSACTION_LIMITS = { maxWait: 10_000, timeout: 15_000 };
