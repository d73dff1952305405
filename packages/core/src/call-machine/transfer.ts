/**
 * A conversation that is handed on (docs/requirements.md#calls): a part of `talking`, while `transfer` is set.
 *
 * The agent who transfers keeps the call and the customer hears hold audio, while it rings at the colleague, or waits in the
 * queue and rings at its agents. Whoever accepts gets a leg of their own beside the first agent's; once that is connected
 * the two change places in one route (`transferred`). Whatever else happens (declined, rung out, gone, queue over, cancelled)
 * gives the conversation back to who had it (`failed`), unless they have been gone for too long themselves: their grace
 * runs on meanwhile but ends nothing while somebody else may still take the call. Whoever hangs up ends the call.
 */
import type { CallEvent } from './event.ts';
import type { Effect } from './effects.ts';
import type { TalkingState, Transfer } from './state.ts';
import { AGENT_GRACE_MS } from './timing.ts';
import { offerEndsAt, releaseAgent } from './offers.ts';
import { rerouted } from './route.ts';
import { graceEndsAt, notifyAgent, unchanged } from './shared.ts';
import type { Step } from './shared.ts';
import { failed, giveBack, hangUp, inQueue, targetOf } from './transfer/returned.ts';
import type { Transferring } from './transfer/returned.ts';
import { offered, stepRinging } from './transfer/ringing.ts';
import { stepTaking } from './transfer/accepted.ts';

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

/** @returns null when the event is none of the transfer's business */
export function stepTransfer(state: Transferring, event: CallEvent, now: number): Step | null {
  const { accepted } = state.transfer;
  if (event.type === 'transfer-cancel') {
    return event.agentId === state.agent.agentId ? cancel(state, now) : null;
  }
  return accepted ? stepTaking(state, accepted, event, now) : stepRinging(state, event, now);
}

/** When a tick may change it; null: only events can (it waits in a queue without an end). */
export function transferDeadline({ accepted, offers, wait }: Transfer): number | null {
  if (accepted) return accepted.connectBy;
  const leaveAt = wait?.leaveAt ?? null;
  const times = [...offers.map(offerEndsAt), ...(leaveAt === null ? [] : [leaveAt])];
  return times.length === 0 ? null : Math.min(...times);
}

/** When the conversation ends because its agent is gone; never while somebody else may take it. */
export const holderGraceEndsAt = (state: TalkingState): number | null =>
  isTransferring(state) ? null : graceEndsAt(state.agent);

/** The agent who transfers is there no more, for good: the transfer is the caller's only hope, and goes on. */
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
      ...(accepted ? giveBack(state, accepted, 'free') : []),
      ...offers.flatMap(({ agentId }) => releaseAgent(agentId, 'free', 'CANCELLED')),
    ],
    now,
  );
}
