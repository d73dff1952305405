/**
 * Non-INVITE server transaction: RFC 3261 §17.2.2. trying → proceeding → completed (the response is repeated for each
 * retransmission) → terminated. A transaction without a response is removed after `transactionTimeout`, when its client
 * has timed out too.
 */
import type { Step } from './machine.ts';
import { END, NO_EFFECTS, RESEND, SEND, TIMED_OUT, arm } from './machine.ts';
import type { TimerValues } from './timers.ts';

export interface NonInviteServerState {
  readonly phase: 'trying' | 'proceeding' | 'completed' | 'terminated';
}

export type NonInviteServerEvent =
  | { readonly on: 'retransmission' }
  | { readonly on: 'respond'; readonly status: number }
  | { readonly on: 'limit' }
  | { readonly on: 'transport-error' };

export const nonInviteServerStart: NonInviteServerState = { phase: 'trying' };

export function stepNonInviteServer(
  state: NonInviteServerState,
  event: NonInviteServerEvent,
  timers: TimerValues,
  reliable: boolean,
): Step<NonInviteServerState> {
  switch (event.on) {
    case 'retransmission':
      return state.phase === 'proceeding' || state.phase === 'completed'
        ? { state, effects: [RESEND] }
        : { state, effects: NO_EFFECTS };
    case 'respond':
      if (state.phase === 'completed' || state.phase === 'terminated') return { state, effects: NO_EFFECTS };
      if (event.status < 200) return { state: { phase: 'proceeding' }, effects: [SEND] };
      return reliable
        ? { state: { phase: 'terminated' }, effects: [SEND, END] }
        : { state: { phase: 'completed' }, effects: [SEND, arm('limit', timers.transactionTimeout)] };
    case 'limit':
      return {
        state: { phase: 'terminated' },
        effects: state.phase === 'completed' ? [END] : [TIMED_OUT, END],
      };
    case 'transport-error':
      return state.phase === 'completed'
        ? { state: { phase: 'terminated' }, effects: [END] }
        : { state, effects: NO_EFFECTS };
  }
}
