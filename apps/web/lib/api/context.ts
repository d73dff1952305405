/** The context of a verb, from the runtime and the caller. */
import type { Ctx } from '@clarion/core/context';
import type { Runtime } from './runtime.ts';

export const contextOf = (
  { db, secrets, store, settings, prices, log, now }: Runtime,
  caller: Pick<Ctx, 'consumer' | 'actor' | 'surface' | 'session'>,
  more: { log?: () => Ctx['log']; now?: Date } = {},
): Ctx => ({
  ...caller,
  db,
  secrets,
  store,
  settings,
  prices,
  get log() {
    return more.log?.() ?? log;
  },
  now: more.now ?? now(),
});
