/** The call's row and its events during a step, in the order of the effects, so that each event shows the call as it was then. Pure. */
import type { Call } from '@clarion/db';
import type { CallEventType } from '@clarion/protocol';
import { presentCall } from '../../call-record/present.ts';
import type { CallPatch, HistoryEffect } from '../../call-machine/effects.ts';
import type { CallRowPatch } from '../../call-store/step-document.ts';
import type { LoadedTenant } from '../../call-store/loaded.ts';
import { eventToRecord } from '../../event/record-event.ts';
import type { EventToRecord } from '../../event/record-event.ts';

export interface CallRowFacts {
  tenant: LoadedTenant;
  now: Date;
  refOfAgent: (agentId: number) => string;
  /** Null: unknown, the call's `queueRef` is kept. */
  refOfQueue: (queueId: number) => string | null;
}

export interface CallRowChange {
  call: Call;
  /** Null: the row is unchanged. */
  patch: CallRowPatch | null;
  events: EventToRecord[];
}

export function changeCallRow(
  before: Call,
  effects: readonly HistoryEffect[],
  facts: CallRowFacts,
): CallRowChange {
  const patch: CallRowPatch = {};
  const events: EventToRecord[] = [];
  let call = before;
  for (const effect of effects) {
    if (effect.kind === 'patch') {
      const columns = columnsOf(call, effect.patch, facts);
      Object.assign(patch, columns);
      call = { ...call, ...rowOf(columns) };
    }
    // call.ringing is published at the first ring only.
    const repeated =
      effect.kind === 'publish' && effect.event === 'call.ringing' && before.ringingAt !== null;
    if (effect.kind !== 'publish' || repeated || isRepeatedRing(events, effect.event)) continue;
    call = { ...call, eventSequence: call.eventSequence + 1 };
    events.push(rowOfEvent(effect.event, call, events.length, facts));
  }
  const changed = call !== before;
  return { call, patch: changed ? patch : null, events };
}

const isRepeatedRing = (events: readonly EventToRecord[], type: CallEventType): boolean =>
  type === 'call.ringing' && events.some((event) => event.type === type);

/**
 * Each event is a millisecond later than the one before it: receivers keep the event with the latest time (docs/requirements.md#events),
 * and two events may occur in one millisecond.
 */
function rowOfEvent(
  type: CallEventType,
  call: Call,
  index: number,
  { tenant, now }: CallRowFacts,
): EventToRecord {
  return eventToRecord({
    type,
    data: { call: presentCall(call, tenant.ref, now) },
    consumerId: call.consumerId,
    tenant: { id: call.tenantId, ref: tenant.ref },
    of: { callId: call.id, sequence: call.eventSequence },
    occurredAt: new Date(now.getTime() + index),
    now,
  });
}

function columnsOf(call: Call, patch: CallPatch, facts: CallRowFacts): CallRowPatch {
  const data: CallRowPatch = {};
  if (patch.status) data.status = patch.status;
  if (patch.sipTrunkId !== undefined) data.sipTrunkId = patch.sipTrunkId;
  // Columns that describe the first ring, the first queue and the answer keep their first value.
  if (patch.ringingAt !== undefined && !call.ringingAt) data.ringingAt = new Date(patch.ringingAt);
  if (patch.queuedAt !== undefined && !call.queuedAt) data.queuedAt = new Date(patch.queuedAt);
  if (patch.answeredAt !== undefined && !call.answeredAt) data.answeredAt = new Date(patch.answeredAt);
  if (patch.endedAt !== undefined) data.endedAt = new Date(patch.endedAt);
  if (patch.agentId === null) {
    data.agentId = null;
    data.agentRef = null;
  } else if (patch.agentId !== undefined && patch.agentId !== call.agentId) {
    data.agentId = patch.agentId;
    data.agentRef = facts.refOfAgent(patch.agentId);
  }
  if (patch.queueId !== undefined) {
    const ref = facts.refOfQueue(patch.queueId);
    data.queueId = patch.queueId;
    if (ref !== null) data.queueRef = ref;
  }
  if (patch.overflowed) data.overflowed = true;
  if (patch.customerName !== undefined) data.customerName = patch.customerName;
  if (patch.mediaPath !== undefined) data.mediaPath = patch.mediaPath;
  if (patch.externalRef !== undefined) data.externalRef = patch.externalRef;
  if (patch.outcome) {
    data.terminationReason = patch.outcome.terminationReason;
    data.terminatedBy = patch.outcome.terminatedBy;
    if (patch.outcome.failureDetails) data.failureDetails = patch.outcome.failureDetails;
  }
  return data;
}

/** As the row shows it: JSON columns are read as JSON values. */
function rowOf({ failureDetails, ...columns }: CallRowPatch): Partial<Call> {
  if (failureDetails === undefined) return columns;
  const json: Call['failureDetails'] = JSON.parse(JSON.stringify(failureDetails));
  return { ...columns, failureDetails: json };
}
