/** The push notifications that a step causes (../../push/push-message.ts). Pure. */
import type { AssignmentType } from '@clarion/protocol';
import type { Call } from '@clarion/db';
import { canBeWoken } from '../../agent/reachable.ts';
import { assignmentTypeOf } from '../../call-record/assignment-type.ts';
import type { Effect } from '../../call-machine/effects.ts';
import type { Step } from '../../call-machine/machine.ts';
import { offerEndsAt } from '../../call-machine/offers.ts';
import { offersOf } from '../../call-machine/state.ts';
import type { CallState } from '../../call-machine/state.ts';
import type { LoadedAgent } from '../../call-store/loaded.ts';
import type { PushOrder } from '../../call-store/step-document.ts';

/** @param call after the step */
export function pushesOf(
  { state, effects }: Step,
  call: Call,
  agents: readonly LoadedAgent[],
  now: Date,
): PushOrder[] {
  const wakeable = new Set(agents.filter(canBeWoken).map(({ id }) => id));
  const orders = effects.flatMap((effect) => orderOf(effect, { state, call, now }));
  return orders.filter(({ kind, agentId }) => kind === 'MISSED' || wakeable.has(agentId));
}

function orderOf(
  effect: Effect,
  { state, call, now }: { state: CallState; call: Call; now: Date },
): PushOrder[] {
  if (effect.kind === 'publish') return effect.event === 'call.ended' ? missedBy(call) : [];
  if (effect.kind !== 'notify-agent') return [];
  const { agentId, what } = effect;
  if (what.message === 'withdrawn') {
    const { reason, exceptDeviceId } = what;
    return [{ kind: 'WITHDRAWN', agentId, reason, ...(exceptDeviceId !== undefined && { exceptDeviceId }) }];
  }
  if (what.message !== 'incoming') return [];
  const offer = offersOf(state).find((made) => made.agentId === agentId);
  if (!offer) return [];
  const validMs = Math.max(0, offerEndsAt(offer) - now.getTime());
  return [{ kind: 'INCOMING', agentId, assignmentType: assignedBy(state, call), validMs }];
}

function assignedBy(state: CallState, call: Call): AssignmentType {
  if (state.phase === 'talking' && state.transfer) return state.transfer.wait ? 'QUEUE' : 'TRANSFER';
  return assignmentTypeOf(call) ?? 'QUEUE';
}

/** The owner of a personal line; no other inbound call ends with NO_ANSWER. */
function missedBy({ direction, terminationReason, agentId }: Call): PushOrder[] {
  const isMissed = direction === 'INBOUND' && terminationReason === 'NO_ANSWER' && agentId !== null;
  return isMissed ? [{ kind: 'MISSED', agentId }] : [];
}
