/** arriving: the consumer's lookup hook is queried about the caller before anything rings. */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { outcomes } from './outcome.ts';
import type { ArrivingState, InboundBase, Offer, OfferingState } from './state.ts';
import { awaitOwner } from './awaiting-owner.ts';
import { commonEnding, ringing } from './inbound.ts';
import { inboundBaseOf, end, ownerRingsUntil, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { beginFlow, enterFirstQueue } from './run-flow.ts';

type LookedUp = Extract<CallEvent, { type: 'looked-up' }>;

export function stepArriving(state: ArrivingState, event: CallEvent, now: number): Step {
  const ending = commonEnding(state, event);
  if (ending) return end(state, ending, now);
  switch (event.type) {
    case 'looked-up':
      return lookedUp(state, event, now);
    case 'agent-removed':
      return 'agentId' in state.next && state.next.agentId === event.agentId
        ? end(state, outcomes.ownerDidNotAnswer(), now)
        : unchanged(state);
    case 'tick':
      return now >= state.proceedAt ? routeInboundCall(state, state.next, now, []) : unchanged(state);
    default:
      return unchanged(state);
  }
}

function lookedUp(state: ArrivingState, { result, name, externalRef, reject }: LookedUp, now: number): Step {
  const said: Effect[] = [
    {
      kind: 'record',
      type: 'LOOKED_UP',
      metadata: { result, name, externalRef, action: reject ? 'reject' : null },
    },
  ];
  if (name !== null) said.push({ kind: 'patch', patch: { customerName: name } });
  if (externalRef !== null) said.push({ kind: 'patch', patch: { externalRef } });
  return reject
    ? end(state, outcomes.lookupRejected(), now, { before: said })
    : routeInboundCall(state, state.next, now, said);
}

/** The call starts to ring, to wait, or its flow. `base` contains the flow if it has one. */
export function routeInboundCall(
  base: InboundBase,
  next: ArrivingState['next'],
  now: number,
  effects: Effect[],
): Step {
  switch (next.kind) {
    case 'flow':
      return beginFlow(base, now, effects);
    case 'awaited-owner':
      return awaitOwner(base, next, now, effects);
    case 'queue':
      return enterFirstQueue(base, next.stops, null, now, effects);
    case 'owner': {
      const expiresAt = ownerRingsUntil(base, next.ringTimeoutSeconds, now);
      const { agentId, waking } = next;
      const offer: Offer = { agentId, offeredAt: now, expiresAt, ...(waking && { waking }) };
      const state: OfferingState = { ...inboundBaseOf(base), phase: 'offering', offers: [offer], wait: null };
      return {
        state,
        effects: [...effects, { kind: 'patch', patch: { status: 'RINGING' } }, ...ringing(offer)],
      };
    }
  }
}
