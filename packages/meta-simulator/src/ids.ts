/** Identifiers in the form of Meta's. */
import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 24;

export const newCallId = (): string => `wacid.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
export const newMessageId = (): string => `wamid.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
export const newTraceId = (): string => randomBytes(9).toString('base64url');
/** A business-scoped user ID: the country, and the user within the business portfolio. */
export const newUserId = (): string => `US.${BigInt(`0x${randomBytes(7).toString('hex')}`)}`;
