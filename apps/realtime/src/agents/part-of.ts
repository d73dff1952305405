/** What one agent has to do with a live call, and so how their apps see it: a transfer has two agents, and more that it rings at. */
import { agentSideOf, offersOf } from '@clarion/core/call-machine/state';
import type { AgentSide, CallState, QueueStop, Transfer } from '@clarion/core/call-machine/state';
import type { AgentCall } from '@clarion/protocol/socket';

export interface Part {
  /** offered: it rings at them. has: theirs. taking: accepted a transfer, and about to have it. none: somebody else's. */
  kind: 'offered' | 'has' | 'taking' | 'none';
  side: AgentSide | null;
  /** How it comes, or came, to them; undefined: as its line says. */
  assignmentType: AgentCall['assignmentType'] | undefined;
  /** The queue it came to them through, where that is another than the call's own. */
  queue: QueueStop | null;
  /** Under way, and theirs to call off. */
  transfer: Transfer | null;
  transferredBy: number | null;
}

const NONE: Part = {
  kind: 'none',
  side: null,
  assignmentType: undefined,
  queue: null,
  transfer: null,
  transferredBy: null,
};

export function partOf(state: CallState | null, agentId: number): Part {
  if (!state) return NONE;
  if (state.phase === 'talking' && state.agent.agentId === agentId) {
    const { agent, assignmentType, queue, transfer, transferredBy } = state;
    return { kind: 'has', side: agent, assignmentType, queue, transfer, transferredBy };
  }
  const isOffered = offersOf(state).some((made) => made.agentId === agentId);
  if (state.phase === 'talking' && state.transfer) {
    const { accepted, wait, fromAgentId } = state.transfer;
    const side = accepted?.side.agentId === agentId ? accepted.side : null;
    if (!isOffered && !side) return NONE;
    return {
      kind: side ? 'taking' : 'offered',
      side,
      assignmentType: wait ? 'QUEUE' : 'TRANSFER',
      queue: wait?.stops[0] ?? null,
      transfer: null,
      transferredBy: fromAgentId,
    };
  }
  const side = agentSideOf(state);
  if (side?.agentId === agentId) return { ...NONE, kind: 'has', side };
  return isOffered ? { ...NONE, kind: 'offered' } : NONE;
}
