/** ivr: a flow has the caller. */
import type { CallEvent } from '../event.ts';
import type { IvrState } from '../state.ts';
import { unchanged } from './shared.ts';
import type { Step } from './shared.ts';

export function stepIvr(state: IvrState, _event: CallEvent, _now: number): Step {
  return unchanged(state);
}
