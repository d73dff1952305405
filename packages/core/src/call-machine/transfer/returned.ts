/** A transfer that failed: the agents it had reserved are released, and the conversation returns to the first agent. */
import type { TransferFailure } from '@clarion/protocol';
import type { Effect } from '../effects.ts';
import { outcomes } from '../outcome.ts';
import type { AgentSide, QueueWait, TalkingState, Transfer } from '../state.ts';
import { countMissed } from '../inbound.ts';
import { rerouted } from '../route.ts';
import { end, enterQueue, graceEndsAt, media, notifyAgent, wholeSeconds } from '../shared.ts';
import type { Step } from '../shared.ts';

export type Transferring = TalkingState & { transfer: Transfer };
export type Accepted = NonNullable<Transfer['accepted']>;

/** These agents do not get the call. In a queue others may be offered it; to an agent, the transfer has failed. `effects` release them. */
export function without(
  state: Transferring,
  agentIds: number[],
  failure: TransferFailure,
  effects: Effect[],
  now: number,
): Step {
  const { wait } = state.transfer;
  if (!wait) return failed(state, failure, effects, now);
  const offers = state.transfer.offers.filter(({ agentId }) => !agentIds.includes(agentId));
  const [stop] = wait.stops;
  return {
    state: { ...state, transfer: { ...state.transfer, offers, accepted: null } },
    effects: [
      ...effects,
      ...(offers.length === 0 && stop ? [{ kind: 'dispatch', queueId: stop.queueId } as const] : []),
    ],
  };
}

/** `effects` release every agent whom the transfer had reserved. */
export function failed(state: Transferring, reason: TransferFailure, effects: Effect[], now: number): Step {
  const { agentId } = state.agent;
  const { transfer } = state;
  const back: TalkingState = {
    ...state,
    transfer: null,
    transferFailed: reason,
    declined: declinedIn(state),
  };
  const said: Effect[] = [
    ...effects,
    {
      kind: 'record',
      type: 'TRANSFER_FAILED',
      agentId,
      durationSeconds: wholeSeconds(transfer.since, now),
      metadata: { reason, ...targetOf(transfer) },
    },
  ];
  const grace = graceEndsAt(state.agent);
  if (grace !== null && now >= grace) return end(back, outcomes.agentDisconnected(), now, { before: said });
  return rerouted(back, [...said, notifyAgent(agentId, { message: 'updated' })]);
}

/** The customer hears hold audio without announcements, because they are in a conversation and may return to it. */
export const inQueue = (wait: Parameters<typeof enterQueue>[0], now: number): QueueWait => ({
  ...enterQueue(wait, now),
  announceAt: null,
});

/** No queue offers this call to the agent again. */
export function withDeclined(state: Transferring, agentId: number): Transferring {
  const { transfer } = state;
  if (!transfer.wait) return state;
  const wait = { ...transfer.wait, declined: [...transfer.wait.declined, agentId] };
  return { ...state, transfer: { ...transfer, wait } };
}

export function withMissed(state: Transferring, agentIds: number[]): Transferring {
  const { transfer } = state;
  if (!transfer.wait) return state;
  return { ...state, transfer: { ...transfer, wait: countMissed(transfer.wait, agentIds) } };
}

/** An agent who had accepted does not get the call after all. Their app shows it already. */
export function releaseAccepted(
  state: Transferring,
  { side }: Accepted,
  change: 'free' | 'declined' | 'failed',
): Effect[] {
  const { agentId } = side;
  return [
    { kind: 'leave', who: { agentId }, reason: 'ENDED' },
    { kind: 'agent', agentId, change },
    ...hangUp(state, side),
    notifyAgent(agentId, { message: 'left' }),
    notifyAgent(agentId, { message: 'agent' }),
    { kind: 'dispatch-agent', agentId },
  ];
}

export const declinedRecord = (agentId: number): Effect => ({ kind: 'record', type: 'DECLINED', agentId });

export function hangUp(state: Transferring, side: AgentSide): Effect[] {
  const legIds = [...(side.ended ? [] : [side.legId]), ...(side.previous ? [side.previous.legId] : [])];
  return legIds.map((legId) => media(state, { command: 'leg:hangup', legId }));
}

export const declinedIn = ({ declined, transfer }: Transferring): number[] => [
  ...new Set([...declined, ...(transfer.wait?.declined ?? [])]),
];

/** The transfer's target for the log. */
export const targetOf = ({ to }: Transfer): Record<string, number> =>
  to.kind === 'agent' ? { toAgentId: to.agentId } : { toQueueId: to.queueId };
