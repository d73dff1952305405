/**
 * Media knows calls by one number. That of a forwarded call is its negated ID, so that it is told apart from a Call without a look-up.
 * Pure.
 */
export const mediaCallIdOf = ({ id }: { id: number }): number => -id;

/** Null: a Call. */
export const forwardedIdOf = (mediaCallId: number): number | null => (mediaCallId < 0 ? -mediaCallId : null);
