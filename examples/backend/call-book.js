/** What the events told us of each call. Yours is a table: `event_id` unique, one row per call. */
import { isLater } from '@clarion/sdk/node';

/** @typedef {import('@clarion/sdk/node').WebhookEvent} WebhookEvent */
/** @typedef {import('@clarion/sdk/node').Call} Call */
/** @typedef {Pick<WebhookEvent, 'sequence' | 'occurred_at'>} Moment */

/** @type {Set<string>} */
const seen = new Set();
/** @type {Map<number, { call: Call, at: Moment, types: string[] }>} */
const book = new Map();

/**
 * Events come at least once and in any order. Each carries the whole call, so the latest one is all we need.
 * @param {WebhookEvent} event
 */
export function takeEvent(event) {
  if (seen.has(event.event_id)) return;
  seen.add(event.event_id);
  switch (event.event_type) {
    case 'call.created':
    case 'call.ringing':
    case 'call.answered':
    case 'call.ended': {
      const { call } = event.data;
      const known = book.get(call.callId);
      const types = [...(known?.types ?? []), event.event_type];
      const latest = known && !isLater(event, known.at) ? known : { call, at: event };
      book.set(call.callId, { ...latest, types });
      break;
    }
    default: // There are more types, and more to come.
  }
}

/**
 * Calls whose events came before we listened.
 * @param {Call[]} calls
 */
export function takeMissed(calls) {
  for (const call of calls) {
    const at = { sequence: 0, occurred_at: call.createdAt };
    if (!book.has(call.callId)) book.set(call.callId, { call, at, types: [] });
  }
}

/** The newest first. */
export const calls = () => [...book.values()].sort((a, b) => b.call.callId - a.call.callId);
