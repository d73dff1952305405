/** A call as an agent's app sees it: from the call's row, its line and queue, and the live state while there is one. */
import { presentCall } from '@clarion/core/call/present';
import { agentSideOf } from '@clarion/core/call/state';
import type { CallState } from '@clarion/core/call/state';
import { parseState } from '@clarion/core/call/engine/stored';
import type { Call, Tx } from '@clarion/db';
import type { AgentCall } from '@clarion/protocol/socket';

export interface LoadedCall {
  call: Call;
  tenantRef: string;
  channel: { address: string; displayName: string | null } | null;
  queue: { ref: string; name: string } | null;
  /** Null: the call has ended. */
  state: CallState | null;
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
  return { call, tenantRef: tenant.ref, channel, queue, state: live && parseState(live.state) };
}

function stateFor(state: CallState | null, call: Call): AgentCall['state'] {
  switch (state?.phase) {
    case 'intent':
    case 'dialing':
      return 'dialing';
    // A call back that waits or rings: the agent's, once accepted, is dialled.
    case 'callback':
    case 'arriving':
    case 'ivr':
    case 'waiting':
    case 'offering':
      return 'incoming';
    // Accepted: the app has the call, even while the carrier confirms (answeredAt is null until then).
    case 'connecting':
    case 'talking':
      return 'active';
    case 'ended':
    case undefined:
      return call.terminationReason === null && call.direction === 'INBOUND' ? 'incoming' : 'ended';
  }
}

export function presentAgentCall(
  { call, tenantRef, channel, queue, state }: LoadedCall,
  now: Date,
): AgentCall {
  const view = presentCall(call, tenantRef, now);
  const side = state && agentSideOf(state);
  return {
    callId: call.id,
    direction: view.direction,
    state: stateFor(state, call),
    assignmentType: assignmentTypeOf(call),
    customer: { address: view.customer.address, name: view.customer.name },
    channel: {
      ref: call.channelRef,
      type: call.channelType,
      address: channel?.address ?? '',
      displayName: channel?.displayName ?? null,
    },
    queue,
    externalRef: view.externalRef,
    consumerMetadata: view.consumerMetadata,
    deviceId: side?.deviceId ?? null,
    muted: state && 'muted' in state ? state.muted : false,
    held: state?.phase === 'talking' ? state.held : false,
    recording: recordingOf(state),
    transfer: null,
    transferredBy: null,
    createdAt: view.createdAt,
    answeredAt: view.answeredAt,
    endedAt: view.endedAt,
    terminationReason: view.terminationReason,
    terminatedBy: view.terminatedBy,
    failureDetails: view.failureDetails,
  };
}

function recordingOf(state: CallState | null): AgentCall['recording'] {
  if (state?.phase !== 'talking' || !state.record) return 'OFF';
  return state.recordingPaused ? 'PAUSED' : 'ON';
}

export const assignmentTypeOf = (call: Call): AgentCall['assignmentType'] =>
  call.direction === 'OUTBOUND' ? null : call.queueId === null ? 'DIRECT' : 'QUEUE';
