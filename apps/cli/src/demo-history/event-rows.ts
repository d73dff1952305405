/**
 * The webhook events of a sample call with their deliveries: nearly all succeed at the first attempt, some at the second, and those of the
 * outage never. Pure except for the IDs of the events.
 */
import { randomUUID } from 'node:crypto';
import { apiVersion } from '@clarion/protocol';
import type { CallEventType, Envelope } from '@clarion/protocol';
import type { Call, Prisma } from '@clarion/db';
import { presentCall } from '@clarion/core/call-record/present';
import { MAX_DELIVERY_ATTEMPTS, nextAttemptAt } from '@clarion/core/event/schedule';
import { HOUR_MS } from './plan-shifts.ts';
import type { PlannedCall } from './plan.ts';
import type { Random } from './random.ts';

const SECOND_TRY = 0.02;

export interface EventRows {
  event: Prisma.EventCreateManyInput;
  attempts: Omit<Prisma.EventAttemptCreateManyInput, 'eventRowId'>[];
}

/** @param outageAt when the hour started in which the receiver was unavailable */
export function eventRows(
  random: Random,
  call: PlannedCall,
  row: Call,
  tenantRef: string,
  outageAt: number,
): EventRows[] {
  return momentsOf(call, row).map(({ type, at, seen }, index) => {
    const sequence = index + 1;
    const occurredAt = new Date(at);
    const envelope: Envelope = {
      event_id: randomUUID(),
      event_type: type,
      data: { call: presentCall(seen, tenantRef, occurredAt) },
      occurred_at: occurredAt.toISOString(),
      tenant_ref: tenantRef,
      api_version: apiVersion,
      sequence,
    };
    const isDown = outageAt <= at && at < outageAt + HOUR_MS;
    const attempts = isDown ? failing(random, at) : succeeding(random, at);
    return {
      event: {
        eventId: envelope.event_id,
        consumerId: row.consumerId,
        tenantId: row.tenantId,
        tenantRef,
        callId: row.id,
        type,
        sequence,
        body: JSON.stringify(envelope),
        occurredAt,
        undelivered: isDown ? 'FAILED' : null,
      },
      attempts,
    };
  });
}

interface Moment {
  type: CallEventType;
  at: number;
  seen: Call;
}

/** The call as it was at each of its events. */
function momentsOf(call: PlannedCall, row: Call): Moment[] {
  const unended = { endedAt: null, terminationReason: null, terminatedBy: null, failureDetails: null };
  const begun: Call = {
    ...row,
    ...unended,
    status: 'INITIATED',
    agentId: call.direction === 'OUTBOUND' ? row.agentId : null,
    agentRef: call.direction === 'OUTBOUND' ? row.agentRef : null,
    mediaPath: null,
    ringingAt: null,
    answeredAt: null,
    queuedAt: null,
    queueId: null,
    queueRef: null,
    overflowed: false,
  };
  const moments: Moment[] = [{ type: 'call.created', at: call.createdAt, seen: begun }];
  if (row.ringingAt) {
    const seen: Call = {
      ...row,
      ...unended,
      status: 'RINGING',
      mediaPath: null,
      answeredAt: null,
      ...(call.direction === 'INBOUND' && { agentId: null, agentRef: null }),
    };
    moments.push({ type: 'call.ringing', at: row.ringingAt.getTime(), seen });
  }
  if (row.answeredAt) {
    const seen: Call = { ...row, ...unended, status: 'IN_PROGRESS' };
    moments.push({ type: 'call.answered', at: row.answeredAt.getTime(), seen });
    if (call.transfer) moments.push({ type: 'call.transferred', at: call.transfer.acceptedAt, seen });
  }
  return [...moments, { type: 'call.ended', at: call.endedAt, seen: row }];
}

const taken = { status: 200, error: null, responseSnippet: 'ok' } as const;
const refused = { status: 503, error: null, responseSnippet: 'Service unavailable' } as const;

function succeeding(random: Random, at: number): EventRows['attempts'] {
  const first = { at: new Date(at + 30), durationMs: random.between(22, 240) };
  if (!random.chance(SECOND_TRY)) return [{ ...first, ...taken }];
  const failed = { ...first, ...refused };
  return [failed, { at: after([failed]) ?? first.at, durationMs: random.between(22, 240), ...taken }];
}

function failing(random: Random, at: number): EventRows['attempts'] {
  const attempts: EventRows['attempts'] = [];
  let next: Date | null = new Date(at + 30);
  while (next && attempts.length < MAX_DELIVERY_ATTEMPTS) {
    attempts.push({ at: next, durationMs: random.between(40, 900), ...refused });
    next = after(attempts);
  }
  return attempts;
}

function after(attempts: EventRows['attempts']): Date | null {
  const last = attempts.at(-1);
  return last ? nextAttemptAt(attempts.length, new Date(Number(last.at) + last.durationMs)) : null;
}
