/** board:subscribe, board:unsubscribe: the tenant's live calls, queues and agents. */
import type { Board } from '../board/board.ts';
import type { BoardViewer } from '../board/viewer.ts';
import type { Handlers } from '../sockets/serve.ts';

export function boardHandlers(
  viewer: BoardViewer,
  { board }: { board: Board },
): Pick<Handlers, 'board:subscribe' | 'board:unsubscribe'> {
  return {
    'board:subscribe': () => board.subscribe(viewer),
    async 'board:unsubscribe'() {
      await board.unsubscribe(viewer);
      return {};
    },
  };
}
