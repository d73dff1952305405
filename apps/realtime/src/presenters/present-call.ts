/** A call as an agent's app sees it: from the call's row, its channel and queue, and the live state if there is one. */
import { presentCall } from '@clarion/core/call-record/present';
import { recordingOf } from '@clarion/core/call-machine/state';
import type { CallState, Transfer } from '@clarion/core/call-machine/state';
import { parseState } from '@clarion/core/call-engine/stored';
import type { Call, Tx } from '@clarion/db';
import type { AgentCall } from '@clarion/protocol/socket';
import { involvementOf } from './agent-involvement.ts';
import type { AgentInvolvement } from './agent-involvement.ts';

export interface LoadedCall {
  call: Call;
  tenantRef: string;
  channel: { address: string; displayName: string | null } | null;
  queue: { ref: string; name: string } | null;
  /** The names of the agents and queues in a transfer. */
  names: Names;
  /** Null: the call has ended. */
  state: CallState | null;
}

interface Names {
  agents: ReadonlyMap<number, string>;
  queues: ReadonlyMap<number, { ref: string; name: string }>;
}

export async function loadCall(db: Tx, callId: number): Promise<LoadedCall | null> {
  const row = await db.call.findUnique({
    where: { id: callId },
    include: { tenant: { select: { ref: true } }, live: { select: { state: true } } },
  });
  if (!row) return null;
  const { tenant, live, ...call } = row;
  const [channel, queue] = await Promise.all([
    call.channelId === null
      ? null
      : db.channel.findUnique({
          where: { id: call.channelId },
          select: { address: true, displayName: true },
        }),
    call.queueId === null
      ? null
      : db.queue.findUnique({ where: { id: call.queueId }, select: { ref: true, name: true } }),
  ]);
  const state = live && parseState(live.state);
  return { call, tenantRef: tenant.ref, channel, queue, names: await namesIn(db, state), state };
}

async function namesIn(db: Tx, state: CallState | null): Promise<Names> {
  if (state?.phase !== 'talking') return { agents: new Map(), queues: new Map() };
  const { transfer, transferredBy, queue } = state;
  const to = transfer?.to;
  const agentIds = [transferredBy, transfer?.fromAgentId, to?.kind === 'agent' ? to.agentId : null];
  const queueIds = [
    queue?.queueId,
    transfer?.wait?.stops[0]?.queueId,
    to?.kind === 'queue' ? to.queueId : null,
  ];
  const [agents, queues] = await Promise.all([
    db.agent.findMany({ where: { id: { in: known(agentIds) } }, select: { id: true, name: true } }),
    db.queue.findMany({
      where: { id: { in: known(queueIds) } },
      select: { id: true, ref: true, name: true },
    }),
  ]);
  return {
    agents: new Map(agents.map(({ id, name }) => [id, name])),
    queues: new Map(queues.map(({ id, ref, name }) => [id, { ref, name }])),
  };
}

const known = (ids: (number | null | undefined)[]): number[] => ids.filter((id) => typeof id === 'number');

function stateFor(state: CallState | null, call: Call): AgentCall['state'] {
  switch (state?.phase) {
    case 'intent':
    case 'dialing':
      return 'dialing';
    // A callback that waits or rings. Once an agent accepts it, it is dialled.
    case 'callback':
    case 'arriving':
    case 'awaiting-owner':
    case 'ivr':
    case 'answering':
    case 'waiting':
    case 'offering':
      return 'incoming';
    // Accepted: the app has the call, although answeredAt is null until the carrier confirms.
    case 'connecting':
    case 'talking':
      return 'active';
    case 'ended':
    case undefined:
      return call.terminationReason === null && call.direction === 'INBOUND' ? 'incoming' : 'ended';
  }
}

/** As this agent's apps see it. */
export function presentAgentCall(loaded: LoadedCall, now: Date, agentId: number): AgentCall {
  const { call, tenantRef, channel, names, state } = loaded;
  const view = presentCall(call, tenantRef, now);
  const { address, addressWithheld, name } = view.customer;
  const involvement = involvementOf(state, agentId);
  return {
    callId: call.id,
    direction: view.direction,
    state: involvement.kind === 'offered' ? 'incoming' : stateFor(state, call),
    assignmentType:
      involvement.assignmentType === undefined ? assignmentTypeOf(call) : involvement.assignmentType,
    customer: { address, addressWithheld, name },
    channel: {
      ref: call.channelRef,
      type: call.channelType,
      address: channel?.address ?? '',
      displayName: channel?.displayName ?? null,
    },
    queue: (involvement.queue && names.queues.get(involvement.queue.queueId)) ?? loaded.queue,
    externalRef: view.externalRef,
    consumerMetadata: view.consumerMetadata,
    deviceId: involvement.side?.deviceId ?? null,
    muted: involvement.kind === 'assigned' && state && 'muted' in state ? state.muted : false,
    held: involvement.kind === 'assigned' && state?.phase === 'talking' ? state.held : false,
    recording: recordingOf(state),
    transfer: involvement.transfer && presentTransfer(involvement.transfer, names),
    transferFailed:
      involvement.kind === 'assigned' && state?.phase === 'talking' ? state.transferFailed : null,
    transferredBy: presentTransferrer(involvement, names),
    createdAt: view.createdAt,
    answeredAt: view.answeredAt,
    endedAt: view.endedAt,
    terminationReason: view.terminationReason,
    terminatedBy: view.terminatedBy,
    failureDetails: view.failureDetails,
  };
}

function presentTransfer({ to, since }: Transfer, names: Names): AgentCall['transfer'] {
  return {
    to:
      to.kind === 'agent'
        ? { ...to, name: names.agents.get(to.agentId) ?? '' }
        : { ...to, name: names.queues.get(to.queueId)?.name ?? '' },
    since: new Date(since).toISOString(),
  };
}

const presentTransferrer = ({ transferredBy }: AgentInvolvement, names: Names): AgentCall['transferredBy'] =>
  transferredBy === null ? null : { agentId: transferredBy, name: names.agents.get(transferredBy) ?? '' };

/** A callback reaches its agent through the queue, although it is outbound. */
const assignmentTypeOf = (call: Call): AgentCall['assignmentType'] => {
  if (call.direction === 'OUTBOUND') return call.callbackOf === null ? null : 'QUEUE';
  return call.queueId === null ? 'DIRECT' : 'QUEUE';
};
