/** What a verb is given, made of what the process has and who calls. */
import type { Ctx } from '@clarion/core/context';
import type { Runtime } from './runtime.ts';

export const contextOf = (
  { db, secrets, store, settings, log, now }: Runtime,
  caller: Pick<Ctx, 'consumer' | 'actor' | 'surface'>,
  more: Partial<Pick<Ctx, 'log' | 'now'>> = {},
): Ctx => ({ ...caller, db, secrets, store, settings, log, now: now(), ...more });
