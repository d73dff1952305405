/** Transferring a call, cancelling a transfer, and listing possible recipients. */
import { listColleagues } from '@clarion/core/agent/list-colleagues';
import { transferCall } from '@clarion/core/call/transfer-call';
import { ApiError, notFound } from '@clarion/protocol';
import { MAX_INTEGER } from '@clarion/protocol/v1/fields/fields';
import type { Handlers } from '../sockets/serve.ts';
import type { AgentSocket } from '../sockets/types.ts';
import { CallActions, isTalking } from './call.ts';
import type { CallContext } from './call.ts';

export function transferHandlers(
  socket: AgentSocket,
  context: CallContext,
): Pick<Handlers, 'call:transfer' | 'call:transfer-cancel' | 'colleagues:list'> {
  const { agentId, tenantId } = socket.data;
  const { deps, engine } = context;
  const act = new CallActions(socket, context);
  return {
    async 'call:transfer'({ callId, ...target }) {
      if (callId > MAX_INTEGER) throw notFound('The call');
      const to = 'agentId' in target ? { agentId: idOf(target.agentId) } : { queueId: idOf(target.queueId) };
      const request = { tenantId, callId, agentId, to };
      await engine.carryOut('transfer', () =>
        transferCall(deps.db, request, deps.now(), { runsEffects: true, memory: deps.memory }),
      );
      return { call: await act.present(callId) };
    },
    async 'call:transfer-cancel'({ callId }) {
      const state = await act.liveState(callId);
      if (state.phase !== 'talking' || state.transfer === null) {
        throw new ApiError('invalid_state', { message: 'The call is not being transferred.' });
      }
      return act.change(callId, { type: 'transfer-cancel', agentId }, isTalking);
    },
    'colleagues:list': () => listColleagues(deps.db, agentId, deps.now()),
  };
}

/** No row has this ID. The database would refuse an ID beyond the column's range. */
const NO_ID = 0;
const idOf = (id: number): number => (id > MAX_INTEGER ? NO_ID : id);
