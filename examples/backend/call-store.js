/** The calls from the events, in memory. Use a table in your product: one row per call, and a unique `event_id` per event. */
import { isLater } from '@clarion/sdk/node';

/** @typedef {import('@clarion/sdk/node').WebhookEvent} WebhookEvent */
/** @typedef {import('@clarion/sdk/node').Call} Call */
/** @typedef {Pick<WebhookEvent, 'sequence' | 'occurred_at'>} EventTime */

/** @type {Set<string>} */
const seen = new Set();
/** @type {Map<number, { call: Call, at: EventTime, types: string[] }>} */
const store = new Map();

/**
 * Events are delivered at least once and in any order. Each contains the whole call, so only the latest one is needed.
 * @param {WebhookEvent} event
 */
export function storeEvent(event) {
  if (seen.has(event.event_id)) return;
  seen.add(event.event_id);
  switch (event.event_type) {
    case 'call.created':
    case 'call.ringing':
    case 'call.answered':
    case 'call.ended': {
      const { call } = event.data;
      const known = store.get(call.callId);
      const types = [...(known?.types ?? []), event.event_type];
      const latest = known && !isLater(event, known.at) ? known : { call, at: event };
      store.set(call.callId, { ...latest, types });
      break;
    }
    default: // Ignore other types. New ones may be added.
  }
}

/**
 * Adds calls whose events were sent before this backend was running.
 * @param {Call[]} calls
 */
export function addEarlierCalls(calls) {
  for (const call of calls) {
    const at = { sequence: 0, occurred_at: call.createdAt };
    if (!store.has(call.callId)) store.set(call.callId, { call, at, types: [] });
  }
}

/** Newest first. */
export const calls = () => [...store.values()].sort((a, b) => b.call.callId - a.call.callId);
