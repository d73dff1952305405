/** callback: a caller who hung up to be called back keeps their place in the queue. */
import type { CallEvent } from '../event.ts';
import type { CallbackState } from '../state.ts';
import { unchanged } from './shared.ts';
import type { Step } from './shared.ts';

export function stepCallback(state: CallbackState, _event: CallEvent, _now: number): Step {
  return unchanged(state);
}
