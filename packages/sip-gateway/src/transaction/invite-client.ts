/**
 * INVITE client transaction: RFC 3261 §17.1.1 with the Accepted state of RFC 6026 §7.2. calling → proceeding →
 * completed (3xx–6xx: ACK and absorb) or accepted (2xx: pass every one) → terminated.
 */
import type { Effect, Step } from './machine.ts';
import {
  ACK,
  END,
  NO_EFFECTS,
  PASS,
  SEND,
  STOP_RETRANSMITTING,
  TIMED_OUT,
  TRANSPORT_FAILED,
  arm,
} from './machine.ts';
import { RESEND } from './machine.ts';
import type { TimerValues } from './timers.ts';

export interface InviteClientState {
  readonly phase: 'idle' | 'calling' | 'proceeding' | 'completed' | 'accepted' | 'terminated';
  /** Current timer A. Ms. */
  readonly repeatMs: number;
}

export type InviteClientEvent =
  { readonly on: 'start' } | { readonly on: 'response'; readonly status: number } | ClientTick;

export type ClientTick =
  { readonly on: 'repeat' } | { readonly on: 'limit' } | { readonly on: 'transport-error' };

export const inviteClientIdle: InviteClientState = { phase: 'idle', repeatMs: 0 };

export function stepInviteClient(
  state: InviteClientState,
  event: InviteClientEvent,
  timers: TimerValues,
  reliable: boolean,
): Step<InviteClientState> {
  switch (event.on) {
    case 'start':
      return {
        state: { phase: 'calling', repeatMs: timers.t1 },
        effects: reliable
          ? [SEND, arm('limit', timers.transactionTimeout)]
          : [SEND, arm('repeat', timers.t1), arm('limit', timers.transactionTimeout)],
      };
    case 'response':
      return onResponse(state, event.status, timers, reliable);
    case 'repeat': {
      if (state.phase !== 'calling') return { state, effects: NO_EFFECTS };
      const repeatMs = state.repeatMs * 2;
      return { state: { phase: 'calling', repeatMs }, effects: [RESEND, arm('repeat', repeatMs)] };
    }
    case 'limit':
      if (state.phase === 'calling') return terminated(state, [TIMED_OUT, END]);
      return state.phase === 'proceeding' ? { state, effects: NO_EFFECTS } : terminated(state, [END]);
    case 'transport-error':
      if (state.phase === 'calling' || state.phase === 'proceeding')
        return terminated(state, [TRANSPORT_FAILED, END]);
      // An ACK that could not be sent is sent with the next retransmission of the final response.
      return { state, effects: NO_EFFECTS };
  }
}

function onResponse(
  state: InviteClientState,
  status: number,
  timers: TimerValues,
  reliable: boolean,
): Step<InviteClientState> {
  switch (state.phase) {
    case 'calling':
    case 'proceeding':
      if (status < 200) {
        const effects: Effect[] = [PASS];
        if (state.phase === 'calling') effects.push(STOP_RETRANSMITTING, { do: 'disarm', timer: 'limit' });
        return { state: { ...state, phase: 'proceeding' }, effects };
      }
      if (status < 300) {
        return {
          state: { ...state, phase: 'accepted' },
          effects: [PASS, STOP_RETRANSMITTING, arm('limit', timers.transactionTimeout)],
        };
      }
      if (reliable) return terminated(state, [ACK, PASS, END]);
      return {
        state: { ...state, phase: 'completed' },
        effects: [ACK, PASS, STOP_RETRANSMITTING, arm('limit', timers.d)],
      };
    case 'completed':
      return { state, effects: status >= 300 ? [ACK] : NO_EFFECTS };
    case 'accepted':
      return { state, effects: status >= 200 && status < 300 ? [PASS] : NO_EFFECTS };
    default:
      return { state, effects: NO_EFFECTS };
  }
}

function terminated(state: InviteClientState, effects: readonly Effect[]): Step<InviteClientState> {
  return { state: { ...state, phase: 'terminated' }, effects };
}
