/**
 * The state of an agent's app, as a pure function of the service's messages.
 *
 * `session` contains the complete state and replaces everything. Between sessions, messages change single calls: a call is added by
 * `call:incoming`, `call:updated` or the ack of an accept or start, and removed by `call:withdrawn` (it only rang here) or
 * `call:ended`. A call never returns to an earlier state, and a late `call:updated` does not bring back an ended one: during a token
 * refresh two sockets overlap, so messages may arrive twice or late. Only a new offer (`call:incoming`) or a session can add an ID
 * again.
 */
import type { AgentCall, AgentState, ServerMessages, Session } from '@clarion/protocol/socket';
import type { WithdrawReason } from '@clarion/protocol/enums';

/** How many ended calls are remembered, so that late updates do not bring them back. */
export const REMEMBERED_ENDED_CALLS = 50;

export interface ModelCall {
  call: AgentCall;
  /** When the offer expires (ISO, the service's clock); null once it no longer rings. */
  expiresAt: string | null;
}

export interface AgentModel {
  agent: AgentState | null;
  tenant: Session['tenant'] | null;
  queues: Session['queues'];
  lines: Session['lines'];
  calls: ReadonlyMap<number, ModelCall>;
  /** Newest last. */
  endedIds: readonly number[];
}

export const emptyModel: AgentModel = {
  agent: null,
  tenant: null,
  queues: [],
  lines: [],
  calls: new Map(),
  endedIds: [],
};

export type ModelInput =
  | { [M in Exclude<keyof ServerMessages, 'error'>]: { name: M; payload: ServerMessages[M] } }[Exclude<
      keyof ServerMessages,
      'error'
    >]
  /** The call in an ack. Equivalent to `call:updated`, and may add the call. */
  | { name: 'ack:call'; payload: { call: AgentCall } };

/** The events that the SDK raises. */
export type Notice =
  | { type: 'incoming'; callId: number }
  | { type: 'withdrawn'; callId: number; call: AgentCall; reason: WithdrawReason }
  | { type: 'state'; callId: number; call: AgentCall; state: 'dialing' | 'active' | 'ended' }
  | { type: 'updated'; callId: number; call: AgentCall }
  | { type: 'agent' };

export interface Reduced {
  model: AgentModel;
  notices: Notice[];
}

const RANK: Record<AgentCall['state'], number> = { incoming: 0, dialing: 1, active: 2, ended: 3 };

export function reduce(model: AgentModel, input: ModelInput): Reduced {
  switch (input.name) {
    case 'session':
      return onSession(model, input.payload);
    case 'call:incoming':
      return onIncoming(model, input.payload);
    case 'call:withdrawn':
      return onWithdrawn(model, input.payload.callId, input.payload.reason);
    case 'call:updated':
    case 'ack:call':
      return onUpdated(model, input.payload.call);
    case 'call:ended':
      return onEnded(model, { ...input.payload.call, state: 'ended' });
    case 'agent:updated':
      return { model: { ...model, agent: input.payload.agent }, notices: [{ type: 'agent' }] };
    case 'watching':
    case 'board:call':
    case 'board:counters':
    case 'board:agents':
    case 'board:ended':
    case 'monitor:updated':
    case 'monitor:ended':
      return { model, notices: [] };
  }
}

function onSession(model: AgentModel, session: Session): Reduced {
  const notices: Notice[] = [{ type: 'agent' }];
  const calls = new Map<number, ModelCall>();
  for (const call of session.calls) {
    if (call.state === 'ended') continue;
    calls.set(call.callId, {
      call,
      expiresAt: call.state === 'incoming' ? (session.expiries[call.callId] ?? null) : null,
    });
    const before = model.calls.get(call.callId)?.call;
    if (before?.state === call.state) notices.push({ type: 'updated', callId: call.callId, call });
    else notices.push(appeared(call));
  }

  const endedIds = [...model.endedIds].filter((id) => !calls.has(id));
  for (const [callId, { call }] of model.calls) {
    if (calls.has(callId)) continue;
    if (call.state === 'incoming') {
      // It stopped ringing while this app was disconnected, so the reason is unknown.
      notices.push({ type: 'withdrawn', callId, call, reason: 'CANCELLED' });
    } else {
      const ended: AgentCall = { ...call, state: 'ended', endedAt: call.endedAt ?? session.serverTime };
      notices.push({ type: 'state', callId, call: ended, state: 'ended' });
      endedIds.push(callId);
    }
  }
  return {
    model: {
      agent: session.agent,
      tenant: session.tenant,
      queues: session.queues,
      lines: session.lines,
      calls,
      endedIds: endedIds.slice(-REMEMBERED_ENDED_CALLS),
    },
    notices,
  };
}

function onIncoming(model: AgentModel, { call, expiresAt }: ServerMessages['call:incoming']): Reduced {
  const known = model.calls.get(call.callId);
  if (known && known.call.state !== 'incoming') return { model, notices: [] };
  return {
    model: {
      ...withCall(model, { call: { ...call, state: 'incoming' }, expiresAt }),
      endedIds: model.endedIds.filter((id) => id !== call.callId),
    },
    notices: [
      known ? { type: 'updated', callId: call.callId, call } : { type: 'incoming', callId: call.callId },
    ],
  };
}

function onWithdrawn(model: AgentModel, callId: number, reason: WithdrawReason): Reduced {
  const known = model.calls.get(callId);
  if (known?.call.state !== 'incoming') return { model, notices: [] };
  return {
    model: withoutCall(model, callId),
    notices: [{ type: 'withdrawn', callId, call: known.call, reason }],
  };
}

function onUpdated(model: AgentModel, call: AgentCall): Reduced {
  const { callId } = call;
  if (call.state === 'ended') return onEnded(model, call);
  if (model.endedIds.includes(callId)) return { model, notices: [] };
  const known = model.calls.get(callId);
  // Offers are added by call:incoming, which contains their expiry.
  if (!known && call.state === 'incoming') return { model, notices: [] };
  if (known && RANK[call.state] < RANK[known.call.state]) return { model, notices: [] };
  const changed = withCall(model, {
    call,
    expiresAt: call.state === 'incoming' ? (known?.expiresAt ?? null) : null,
  });
  return {
    model: changed,
    notices: [known?.call.state === call.state ? { type: 'updated', callId, call } : appeared(call)],
  };
}

function onEnded(model: AgentModel, call: AgentCall): Reduced {
  const known = model.calls.get(call.callId);
  if (!known) return { model, notices: [] };
  const gone = withoutCall(model, call.callId);
  return {
    model: { ...gone, endedIds: [...model.endedIds, call.callId].slice(-REMEMBERED_ENDED_CALLS) },
    notices: [{ type: 'state', callId: call.callId, call, state: 'ended' }],
  };
}

const appeared = (call: AgentCall): Notice =>
  call.state === 'incoming'
    ? { type: 'incoming', callId: call.callId }
    : { type: 'state', callId: call.callId, call, state: call.state };

function withCall(model: AgentModel, entry: ModelCall): AgentModel {
  return { ...model, calls: new Map(model.calls).set(entry.call.callId, entry) };
}

function withoutCall(model: AgentModel, callId: number): AgentModel {
  const calls = new Map(model.calls);
  calls.delete(callId);
  return { ...model, calls };
}
