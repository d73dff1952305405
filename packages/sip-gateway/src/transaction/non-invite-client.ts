/**
 * Non-INVITE client transaction: RFC 3261 §17.1.2. trying → proceeding → completed → terminated. Retransmits from T1
 * on, doubling up to T2 (every T2 after a provisional response), and times out after 64*T1.
 */
import type { ClientTick } from './invite-client.ts';
import type { Effect, Step } from './machine.ts';
import {
  END,
  NO_EFFECTS,
  PASS,
  RESEND,
  SEND,
  STOP_RETRANSMITTING,
  TIMED_OUT,
  TRANSPORT_FAILED,
  arm,
} from './machine.ts';
import type { TimerValues } from './timers.ts';

export interface NonInviteClientState {
  readonly phase: 'idle' | 'trying' | 'proceeding' | 'completed' | 'terminated';
  /** Current timer E. Ms. */
  readonly repeatMs: number;
}

export type NonInviteClientEvent =
  { readonly on: 'start' } | { readonly on: 'response'; readonly status: number } | ClientTick;

export const nonInviteClientIdle: NonInviteClientState = { phase: 'idle', repeatMs: 0 };

export function stepNonInviteClient(
  state: NonInviteClientState,
  event: NonInviteClientEvent,
  timers: TimerValues,
  reliable: boolean,
): Step<NonInviteClientState> {
  const waiting = state.phase === 'trying' || state.phase === 'proceeding';
  switch (event.on) {
    case 'start':
      return {
        state: { phase: 'trying', repeatMs: timers.t1 },
        effects: reliable
          ? [SEND, arm('limit', timers.transactionTimeout)]
          : [SEND, arm('repeat', timers.t1), arm('limit', timers.transactionTimeout)],
      };
    case 'response':
      if (!waiting) return { state, effects: NO_EFFECTS };
      if (event.status < 200) return { state: { ...state, phase: 'proceeding' }, effects: [PASS] };
      if (reliable) return over(state, [PASS, END]);
      return {
        state: { ...state, phase: 'completed' },
        effects: [PASS, STOP_RETRANSMITTING, arm('limit', timers.t4)],
      };
    case 'repeat': {
      if (!waiting) return { state, effects: NO_EFFECTS };
      const repeatMs = state.phase === 'proceeding' ? timers.t2 : Math.min(state.repeatMs * 2, timers.t2);
      return { state: { ...state, repeatMs }, effects: [RESEND, arm('repeat', repeatMs)] };
    }
    case 'limit':
      return over(state, waiting ? [TIMED_OUT, END] : [END]);
    case 'transport-error':
      return waiting ? over(state, [TRANSPORT_FAILED, END]) : { state, effects: NO_EFFECTS };
  }
}

function over(state: NonInviteClientState, effects: readonly Effect[]): Step<NonInviteClientState> {
  return { state: { ...state, phase: 'terminated' }, effects };
}
