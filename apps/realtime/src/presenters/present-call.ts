/** A call as an agent's app sees it: from the call's row, its channel and queue, and the live state if there is one. */
import { assignmentTypeOf } from '@clarion/core/call-record/assignment-type';
import { presentCall } from '@clarion/core/call-record/present';
import { recordingOf } from '@clarion/core/call-machine/state';
import type { CallState, Transfer } from '@clarion/core/call-machine/state';
import type { CallAfterStep } from '@clarion/core/call-engine/commit';
import { parseState } from '@clarion/core/call-engine/stored';
import type { Call } from '@clarion/db';
import type { AgentCall } from '@clarion/protocol/socket';
import type { AgentName, CallWithState, ChannelName, Deps, Names, QueueName } from '../deps.ts';
import { SHOWN_WITH_CALL } from '../lib/agent-rows.ts';
import { involvementOf } from './agent-involvement.ts';
import type { AgentInvolvement } from './agent-involvement.ts';

export interface LoadedCall {
  call: Call;
  tenantRef: string;
  channel: ChannelName | null;
  queue: { ref: string; name: string } | null;
  /** The names of the agents and queues in a transfer. */
  names: NamesInTransfer;
  /** Null: the call has ended. */
  state: CallState | null;
}

interface NamesInTransfer {
  agents: ReadonlyMap<number, AgentName>;
  queues: ReadonlyMap<number, QueueName>;
}

/** From the current rows. */
export async function loadCall(
  { db, names }: Pick<Deps, 'db' | 'names'>,
  callId: number,
): Promise<LoadedCall | null> {
  const row = await db.call.findUnique({ where: { id: callId }, include: SHOWN_WITH_CALL });
  return row && loadedFrom(names, row);
}

export const loadedFrom = (names: Names, { tenant, live, ...call }: CallWithState): Promise<LoadedCall> =>
  withNames(names, { call, tenantRef: tenant.ref, state: live && parseState(live.state) });

/** As a step left the call, whose rows are not read again. */
export const loadedAfter = (names: Names, { call, tenantRef, state }: CallAfterStep): Promise<LoadedCall> =>
  withNames(names, { call, tenantRef, state: state.phase === 'ended' ? null : state });

async function withNames(
  names: Names,
  loaded: Pick<LoadedCall, 'call' | 'tenantRef' | 'state'>,
): Promise<LoadedCall> {
  const { channelId, queueId } = loaded.call;
  const [channel, queue, inTransfer] = await Promise.all([
    channelId === null ? null : names.channel(channelId),
    queueId === null ? null : names.queue(queueId),
    namesInTransfer(names, loaded.state),
  ]);
  return { ...loaded, channel, queue: queue && shown(queue), names: inTransfer };
}

async function namesInTransfer(names: Names, state: CallState | null): Promise<NamesInTransfer> {
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
    Promise.all(known(agentIds).map((id) => names.agent(id))),
    Promise.all(known(queueIds).map((id) => names.queue(id))),
  ]);
  return { agents: byId(agents), queues: byId(queues) };
}

const byId = <T extends { id: number }>(rows: (T | null)[]): Map<number, T> =>
  new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])));

const shown = ({ ref, name }: QueueName) => ({ ref, name });

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
    queue: queueOf(involvement, names) ?? loaded.queue,
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

function queueOf({ queue }: AgentInvolvement, names: NamesInTransfer): LoadedCall['queue'] {
  const named = queue && names.queues.get(queue.queueId);
  return named ? shown(named) : null;
}

function presentTransfer({ to, since }: Transfer, names: NamesInTransfer): AgentCall['transfer'] {
  return {
    to:
      to.kind === 'agent'
        ? { ...to, name: names.agents.get(to.agentId)?.name ?? '' }
        : { ...to, name: names.queues.get(to.queueId)?.name ?? '' },
    since: new Date(since).toISOString(),
  };
}

const presentTransferrer = (
  { transferredBy }: AgentInvolvement,
  names: NamesInTransfer,
): AgentCall['transferredBy'] =>
  transferredBy === null
    ? null
    : { agentId: transferredBy, name: names.agents.get(transferredBy)?.name ?? '' };
