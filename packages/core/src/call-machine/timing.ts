/** Every span of time the machine knows, in milliseconds. */
import { RECONNECT_GRACE_SECONDS } from '@clarion/protocol/socket';

/** An outbound intent must be started within this (docs/requirements.md#limits). */
export const INTENT_START_MS = 120_000;
/** An agent's browser sets its audio up in well under a second; a relayed mobile network may need several. */
export const AGENT_CONNECT_MS = 15_000;
/** How long the customer's phone rings (docs/requirements.md#calls). */
export const DIAL_RING_MS = 60_000;
/** Media keeps the ring time-out itself; the engine gives up this much later should the fact never come. */
export const DIAL_SLACK_MS = 15_000;
/** RFC 3261 timer H is 32 s: media reports an unconfirmed 200 by then. The engine waits a little longer. */
export const ANSWER_CONFIRM_MS = 40_000;
/** How long a call waits for an agent who is gone (docs/requirements.md#calls). */
export const AGENT_GRACE_MS = RECONNECT_GRACE_SECONDS * 1000;
/** People who listen to one call at the same time: each is another stream, and another mix while somebody speaks. */
export const MAX_MONITORS_PER_CALL = 10;
/** How long somebody who monitors may be without network; nobody waits for them, so they begin anew. */
export const MONITOR_GRACE_MS = 10_000;
/** The words of a goodbye take less than four seconds; the caller's leg is ended by then whatever media says of them. */
export const GOODBYE_MS = 10_000;
/**
 * Maximum duration of a call if the operator sets none. It ends calls that nothing else ends, such as one that is on `inactive` hold and
 * whose BYE was lost.
 */
export const DEFAULT_MAX_CALL_SECONDS = 86_400;
/** How long a personal line rings its owner when the line says nothing (docs/requirements.md#limits). */
export const DEFAULT_RING_TIMEOUT_SECONDS = 30;
/** docs/requirements.md#limits. The realtime node that asks keeps this time itself. */
export const LOOKUP_MS = 1_500;
/** The engine goes on by itself this much later, should that node be gone. */
export const LOOKUP_SLACK_MS = 500;
/** An agent whom a flow asks for is found, or not, in one transaction; a node that died over it costs the caller this much. */
export const SEEK_AGENT_MS = 10_000;
/**
 * How often the engine tries to reserve an owner at whom another call rings. It also tries when that call stops ringing; this interval
 * decides how soon the caller hears busy after the owner answers the other call.
 */
export const SEEK_OWNER_AGAIN_MS = 2_000;
/** How long a transfer rings at a colleague. */
export const TRANSFER_RING_SECONDS = 30;
/** How long a queue's offer or a transfer goes on ringing at an agent whose apps are gone: a page that is reloaded is back well before. */
export const OFFER_GONE_MS = 5_000;
