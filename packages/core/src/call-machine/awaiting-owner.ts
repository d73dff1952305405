/**
 * awaiting-owner: the owner of the personal line is being rung by another call, and an agent is reserved by one call at a time. This caller
 * hears ringing (180) and is next: the engine tries to reserve the owner when the other call releases them (effect `ring-agent`), and
 * periodically, to detect that the owner has answered the other call. The outcome is then BUSY (docs/requirements.md#call-outcomes).
 */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import { outcomes } from './outcome.ts';
import type { AwaitingOwnerState, InboundBase, Offer, OfferingState } from './state.ts';
import { RETRY_OWNER_MS } from './timing.ts';
import { commonEnding, ringing } from './inbound.ts';
import { offerToOne } from './offers.ts';
import { inboundBaseOf, end, ownerRingsUntil, unchanged } from './shared.ts';
import type { Step } from './shared.ts';

/** The line's ring timeout limits how long this caller hears ringing if the owner does not become free. */
export function awaitOwner(
  base: InboundBase,
  { agentId, ringTimeoutSeconds }: Pick<AwaitingOwnerState, 'agentId' | 'ringTimeoutSeconds'>,
  now: number,
  effects: Effect[],
): Step {
  const state: AwaitingOwnerState = {
    ...inboundBaseOf(base),
    phase: 'awaiting-owner',
    agentId,
    ringTimeoutSeconds,
    seekAt: now + RETRY_OWNER_MS,
    giveUpAt: ownerRingsUntil(base, ringTimeoutSeconds, now),
  };
  // The other call may have released the owner since the last check.
  return {
    state,
    effects: [...effects, { kind: 'patch', patch: { status: 'RINGING' } }, { kind: 'ring-agent', agentId }],
  };
}

export function stepAwaitingOwner(state: AwaitingOwnerState, event: CallEvent, now: number): Step {
  const ending = commonEnding(state, event);
  if (ending) return end(state, ending, now);
  const { agentId } = state;
  switch (event.type) {
    case 'offer': {
      const { offer: made, effects } = offerToOne(agentId, event, now);
      if (!made) return { state, effects };
      const expiresAt = ownerRingsUntil(state, event.ringTimeoutSeconds, now);
      const offer: Offer = { ...made, expiresAt };
      const next: OfferingState = { ...inboundBaseOf(state), phase: 'offering', offers: [offer], wait: null };
      return { state: next, effects: [...effects, ...ringing(offer)] };
    }
    case 'agent-unavailable':
      if (event.agentId !== agentId) return unchanged(state);
      return end(state, event.onCall ? outcomes.ownerBusy() : outcomes.ownerDidNotAnswer(), now);
    case 'agent-removed':
      return event.agentId === agentId ? end(state, outcomes.ownerDidNotAnswer(), now) : unchanged(state);
    case 'tick':
      if (now >= state.giveUpAt) return end(state, outcomes.ownerDidNotAnswer(), now);
      return now >= state.seekAt
        ? {
            state: { ...state, seekAt: now + RETRY_OWNER_MS },
            effects: [{ kind: 'ring-agent', agentId }],
          }
        : unchanged(state);
    default:
      return unchanged(state);
  }
}
