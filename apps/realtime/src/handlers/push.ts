/** push:subscribe, push:unsubscribe: whether calls ring this browser while it has no connection. */
import { subscribeToWebPush, unsubscribeFromWebPush } from '@clarion/core/push/web-push-subscription';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../sockets/serve.ts';
import type { AgentSocket } from '../sockets/types.ts';

export function pushHandlers(
  socket: AgentSocket,
  { db, secrets, allowPrivateEgress, now }: Pick<Deps, 'db' | 'secrets' | 'allowPrivateEgress' | 'now'>,
): Pick<Handlers, 'push:subscribe' | 'push:unsubscribe'> {
  return {
    async 'push:subscribe'({ subscription }) {
      const check = { allowPrivate: allowPrivateEgress };
      await subscribeToWebPush({ db, secrets, check, now: now() }, socket.data, subscription);
      return {};
    },
    async 'push:unsubscribe'() {
      await unsubscribeFromWebPush({ db, secrets, now: now() }, socket.data);
      return {};
    },
  };
}
