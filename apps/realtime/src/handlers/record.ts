/** Pausing the recording of a call, for example while a card number is read out. */
import { ApiError } from '@clarion/protocol';
import type { Handlers } from '../sockets/serve.ts';
import type { AgentSocket } from '../sockets/types.ts';
import { CallActions, isTalking } from './call.ts';
import type { CallContext } from './call.ts';

export function recordHandlers(socket: AgentSocket, context: CallContext): Pick<Handlers, 'call:record'> {
  const { agentId } = socket.data;
  const act = new CallActions(socket, context);
  return {
    async 'call:record'({ callId, paused }) {
      const state = await act.liveState(callId);
      if (state.phase !== 'talking' || !state.record) {
        throw new ApiError('invalid_state', { message: 'The call is not being recorded.' });
      }
      return act.change(callId, { type: 'record-pause', agentId, paused }, isTalking);
    },
  };
}
