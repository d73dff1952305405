/** How one agent is involved in a live call. During a transfer a call has two agents, and it may ring at more. */
import { agentSideOf, offersOf } from '@clarion/core/call-machine/state';
import type { AgentSide, CallState, Transfer } from '@clarion/core/call-machine/state';
import type { OverflowHop } from '@clarion/core/queue-routing/overflow-hop';
import type { AgentCall } from '@clarion/protocol/socket';

export interface AgentInvolvement {
  /** offered: the call rings them. assigned: they have the call. accepting: they accepted a transfer that is not complete yet. */
  kind: 'offered' | 'assigned' | 'accepting' | 'none';
  side: AgentSide | null;
  /** How the call was assigned to them; undefined: as in the call's row. */
  assignmentType: AgentCall['assignmentType'] | undefined;
  /** The queue that assigned the call to them, if not the call's own. */
  queue: OverflowHop | null;
  /** A transfer in progress that they can cancel. */
  transfer: Transfer | null;
  transferredBy: number | null;
}

const NONE: AgentInvolvement = {
  kind: 'none',
  side: null,
  assignmentType: undefined,
  queue: null,
  transfer: null,
  transferredBy: null,
};

export function involvementOf(state: CallState | null, agentId: number): AgentInvolvement {
  if (!state) return NONE;
  if (state.phase === 'talking' && state.agent.agentId === agentId) {
    const { agent, assignmentType, queue, transfer, transferredBy } = state;
    return { kind: 'assigned', side: agent, assignmentType, queue, transfer, transferredBy };
  }
  const isOffered = offersOf(state).some((made) => made.agentId === agentId);
  if (state.phase === 'talking' && state.transfer) {
    const { accepted, wait, fromAgentId } = state.transfer;
    const side = accepted?.side.agentId === agentId ? accepted.side : null;
    if (!isOffered && !side) return NONE;
    return {
      kind: side ? 'accepting' : 'offered',
      side,
      assignmentType: wait ? 'QUEUE' : 'TRANSFER',
      queue: wait?.stops[0] ?? null,
      transfer: null,
      transferredBy: fromAgentId,
    };
  }
  const side = agentSideOf(state);
  if (side?.agentId === agentId) return { ...NONE, kind: 'assigned', side };
  return isOffered ? { ...NONE, kind: 'offered' } : NONE;
}
