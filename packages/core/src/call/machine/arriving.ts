/** arriving: the consumer's product is asked about the caller. */
import type { CallEvent } from '../event.ts';
import type { ArrivingState } from '../state.ts';
import { unchanged } from './shared.ts';
import type { Step } from './shared.ts';

export function stepArriving(state: ArrivingState, _event: CallEvent, _now: number): Step {
  return unchanged(state);
}
