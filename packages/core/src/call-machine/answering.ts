/**
 * answering: a caller has entered a queue that answers while callers wait. They hear its audio once the carrier has acknowledged the 200.
 */
import type { CallEvent } from './event.ts';
import { outcomes } from './outcome.ts';
import type { AnsweringState } from './state.ts';
import { commonEnding } from './inbound.ts';
import { enterWaiting } from './in-queue.ts';
import { end, unchanged } from './shared.ts';
import type { Step } from './shared.ts';

export function stepAnswering(state: AnsweringState, event: CallEvent, now: number): Step {
  const ending = commonEnding(state, event);
  if (ending) return end(state, ending, now);
  switch (event.type) {
    case 'leg-connected':
      return event.legId === state.carrierLegId
        ? enterWaiting({ ...state, answered: true, connectedAt: now }, state.wait, now, [
            { kind: 'leg', leg: 'CUSTOMER', state: 'CONNECTED', stats: { codec: event.codec } },
          ])
        : unchanged(state);
    case 'command-failed':
      return event.command === 'carrier:answer'
        ? end(state, outcomes.systemError(event.message), now)
        : unchanged(state);
    case 'tick':
      return now >= state.answerBy
        ? end(state, outcomes.networkError('answer_not_acknowledged'), now)
        : unchanged(state);
    default:
      return unchanged(state);
  }
}
