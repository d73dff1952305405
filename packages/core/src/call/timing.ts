/** Every span of time the machine knows, in milliseconds. */
import { RECONNECT_GRACE_SECONDS } from '@clarion/protocol/socket';

/** An outbound intent must be started within this (spec, Limits). */
export const INTENT_START_MS = 120_000;
/** An agent's browser sets its audio up in well under a second; a relayed mobile network may need several. */
export const AGENT_CONNECT_MS = 15_000;
/** How long the customer's phone rings (design section 10, Outbound ring time-out). */
export const DIAL_RING_MS = 60_000;
/** Media keeps the ring time-out itself; the engine gives up this much later should the fact never come. */
export const DIAL_SLACK_MS = 15_000;
/** RFC 3261 timer H is 32 s: media reports an unconfirmed 200 by then. The engine waits a little longer. */
export const ANSWER_CONFIRM_MS = 40_000;
/** How long a call waits for an agent who is gone (design section 7). */
export const AGENT_GRACE_MS = RECONNECT_GRACE_SECONDS * 1000;
/** How long a personal line rings its owner when the line says nothing (spec, Channel). */
export const DEFAULT_RING_TIMEOUT_SECONDS = 30;
