/**
 * A transfer (docs/requirements.md#calls): a part of `talking`, while `transfer` is set.
 *
 * The agent who transfers keeps the call, and the customer hears hold audio while the other agent is rung or the call waits in the queue.
 * An agent who accepts gets a leg of their own; once it is connected, one new route replaces the first agent (`transferred`). In every
 * other case (declined, expired, disconnected, maximum wait over, cancelled) the conversation returns to the first agent (`failed`), unless
 * they have been disconnected for too long: their time to return keeps running but ends nothing while another agent may still accept. A
 * hang-up of the customer or the first agent ends the call.
 */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import type { TalkingState, Transfer } from './state.ts';
import { AGENT_GRACE_MS } from './timing.ts';
import { offerEndsAt, releaseAgent } from './offers.ts';
import { rerouted } from './route.ts';
import { graceEndsAt, notifyAgent, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { failed, releaseAccepted, hangUp, inQueue, targetOf } from './transfer/returned.ts';
import type { Transferring } from './transfer/returned.ts';
import { offered, stepRinging } from './transfer/ringing.ts';
import { stepAccepted } from './transfer/accepted.ts';

export const isTransferring = (state: TalkingState): state is Transferring => state.transfer !== null;

export function beginTransfer(
  state: TalkingState,
  event: Extract<CallEvent, { type: 'transfer' }>,
  now: number,
): Step {
  const { agentId } = state.agent;
  if (event.agentId !== agentId || isTransferring(state)) return unchanged(state);
  const begun = event.to.kind === 'agent' ? toAgent(state, event.to, now) : toQueue(state, event.to, now);
  if (!begun) return unchanged(state);
  const { transfer, effects } = begun;
  return rerouted({ ...state, transfer, transferFailed: null }, [
    { kind: 'record', type: 'TRANSFER_STARTED', agentId, metadata: targetOf(transfer) },
    { kind: 'transfer', change: 'begin', fromAgentId: agentId, to: transfer.to },
    ...effects,
    notifyAgent(agentId, { message: 'updated' }),
  ]);
}

interface Begun {
  transfer: Transfer;
  effects: Effect[];
}

function toAgent(
  { agent }: TalkingState,
  { agentId, ringTimeoutSeconds }: { agentId: number; ringTimeoutSeconds: number },
  now: number,
): Begun | null {
  if (agentId === agent.agentId) return null;
  const offer = { agentId, offeredAt: now, expiresAt: now + ringTimeoutSeconds * 1000 };
  const to = { kind: 'agent', agentId } as const;
  return {
    transfer: { fromAgentId: agent.agentId, to, since: now, wait: null, offers: [offer], accepted: null },
    effects: [{ kind: 'agent', agentId, change: 'reserve' }, ...offered(offer)],
  };
}

function toQueue(
  { agent, declined }: TalkingState,
  { stops }: Pick<Extract<Extract<CallEvent, { type: 'transfer' }>['to'], { kind: 'queue' }>, 'stops'>,
  now: number,
): Begun | null {
  const [stop] = stops;
  if (!stop) return null;
  const wait = inQueue({ stops, since: now, declined, missed: {}, skills: [] }, now);
  const to = { kind: 'queue', queueId: stop.queueId } as const;
  return {
    transfer: { fromAgentId: agent.agentId, to, since: now, wait, offers: [], accepted: null },
    effects: [{ kind: 'dispatch', queueId: stop.queueId }],
  };
}

/** @returns null if the event does not concern the transfer */
export function stepTransfer(state: Transferring, event: CallEvent, now: number): Step | null {
  const { accepted } = state.transfer;
  if (event.type === 'transfer-cancel') {
    return event.agentId === state.agent.agentId ? cancel(state, now) : null;
  }
  return accepted ? stepAccepted(state, accepted, event, now) : stepRinging(state, event, now);
}

/** When a tick may change it; null: only other events can (it waits in a queue without a maximum wait). */
export function transferDeadline({ accepted, offers, wait }: Transfer): number | null {
  if (accepted) return accepted.connectBy;
  const leaveAt = wait?.leaveAt ?? null;
  const times = [...offers.map(offerEndsAt), ...(leaveAt === null ? [] : [leaveAt])];
  return times.length === 0 ? null : Math.min(...times);
}

/** When the conversation ends because its agent is disconnected; never while another agent may still accept it. */
export const holderGraceEndsAt = (state: TalkingState): number | null =>
  isTransferring(state) ? null : graceEndsAt(state.agent);

/** The agent who transfers will not return. The transfer continues, because otherwise the call would end. */
export function withoutHolder(state: Transferring, now: number): Step {
  const { agent } = state;
  const graceOver = now - AGENT_GRACE_MS;
  if (agent.ended && agent.socketsLostAt !== null && agent.socketsLostAt <= graceOver)
    return unchanged(state);
  return {
    state: {
      ...state,
      agent: { ...agent, connected: false, ended: true, previous: null, socketsLostAt: graceOver },
    },
    effects: [{ kind: 'record', type: 'AGENT_LOST', agentId: agent.agentId }, ...hangUp(state, agent)],
  };
}

function cancel(state: Transferring, now: number): Step {
  const { accepted, offers } = state.transfer;
  return failed(
    state,
    'CANCELLED',
    [
      ...(accepted ? releaseAccepted(state, accepted, 'free') : []),
      ...offers.flatMap(({ agentId }) => releaseAgent(agentId, 'free', 'CANCELLED')),
    ],
    now,
  );
}
