/** Every duration that the machine uses, in milliseconds. */
import { RECONNECT_GRACE_SECONDS } from '@clarion/protocol/socket';

/** An outbound intent must be started within this time (docs/requirements.md#limits). */
export const INTENT_START_MS = 120_000;
/** An agent's browser connects its audio in well under a second; a relayed mobile network may need several. */
export const AGENT_CONNECT_MS = 15_000;
/** Media reports the end of a leg within milliseconds. An agent who hung up is released by then even if it does not. */
export const HANGUP_CONFIRM_MS = 2_000;
/** Deadlines are checked every second. If a check is later than this, the database or every realtime node was down. */
export const LATE_CHECK_MS = 1_500;
/** How long a call waits, after such an outage, for what media reported during it. Media repeats its facts every half second. */
export const REPORTS_AFTER_OUTAGE_MS = 3_000;
/** How long the customer's phone rings (docs/requirements.md#calls). */
export const DIAL_RING_MS = 60_000;
/** Media applies the ring timeout itself. If its fact does not arrive, the engine ends the call this much later. */
export const DIAL_SLACK_MS = 15_000;
/** RFC 3261 timer H is 32 s: media reports an unconfirmed 200 by then. The engine waits a little longer. */
export const ANSWER_CONFIRM_MS = 40_000;
/** How long a call waits for a disconnected agent (docs/requirements.md#calls). */
export const AGENT_GRACE_MS = RECONNECT_GRACE_SECONDS * 1000;
/** Monitors per call: each needs another stream, and another mix while a monitor speaks. */
export const MAX_MONITORS_PER_CALL = 10;
/** How long a monitor may be without network. Nobody waits for a monitor, so they can start again. */
export const MONITOR_GRACE_MS = 10_000;
/** The goodbye takes less than four seconds. The caller's leg is ended by then even if media does not report its end. */
export const GOODBYE_MS = 10_000;
/**
 * Maximum duration of a call if the operator sets none. It ends calls that nothing else would, such as one that is on `inactive` hold and
 * whose BYE was lost.
 */
export const DEFAULT_MAX_CALL_SECONDS = 86_400;
/** How long a personal line rings its owner by default (docs/requirements.md#limits). */
export const DEFAULT_RING_TIMEOUT_SECONDS = 30;
/** docs/requirements.md#limits. The realtime node that queries the hook applies this limit itself. */
export const LOOKUP_MS = 1_500;
/** If that node is gone, the engine continues this much later. */
export const LOOKUP_SLACK_MS = 500;
/** An agent requested by a flow is searched for in one transaction. If a node dies while doing so, the caller waits this long. */
export const FIND_AGENT_MS = 10_000;
/**
 * How often the engine tries to reserve an owner who is being rung by another call. It also tries when that call stops ringing; this
 * interval decides how soon the caller hears busy after the owner answers the other call.
 */
export const RETRY_OWNER_MS = 2_000;
/** How long a transfer rings an agent. */
export const TRANSFER_RING_SECONDS = 30;
/** How long a queue's offer or a transfer keeps ringing an agent whose apps are disconnected. A reloaded page is back well before. */
export const OFFER_GONE_MS = 5_000;
/**
 * How long a queue's offer or a transfer waits for the app of an agent without a socket, which a push notification wakes: the push takes a
 * second or two, and a cold start of the app several more.
 */
export const WAKE_GRACE_MS = 15_000;
