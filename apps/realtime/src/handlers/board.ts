/** board:subscribe, board:unsubscribe: the tenant's live calls and queues. */
import type { Board } from '../board/board.ts';
import type { AgentSocket } from '../deps.ts';
import type { Handlers } from './serve.ts';

export function boardHandlers(
  socket: AgentSocket,
  { board }: { board: Board },
): Pick<Handlers, 'board:subscribe' | 'board:unsubscribe'> {
  return {
    'board:subscribe': () => board.subscribe(socket),
    async 'board:unsubscribe'() {
      await board.unsubscribe(socket);
      return {};
    },
  };
}
