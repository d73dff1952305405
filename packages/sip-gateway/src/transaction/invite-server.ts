/**
 * INVITE server transaction: RFC 3261 §17.2.1 with the Accepted state of RFC 6026 §7.1. proceeding → completed
 * (3xx–6xx, retransmitted until ACK) → confirmed, or accepted (2xx; the dialog retransmits it).
 */
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

export interface InviteServerState {
  readonly phase: 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated';
  /** Current timer G. Ms. */
  readonly repeatMs: number;
}

export type InviteServerEvent =
  | { readonly on: 'retransmission' }
  | { readonly on: 'ack' }
  /** The transaction user responds. */
  | { readonly on: 'respond'; readonly status: number }
  | { readonly on: 'repeat' }
  | { readonly on: 'limit' }
  | { readonly on: 'transport-error' };

export const inviteServerStart: InviteServerState = { phase: 'proceeding', repeatMs: 0 };

export function stepInviteServer(
  state: InviteServerState,
  event: InviteServerEvent,
  timers: TimerValues,
  reliable: boolean,
): Step<InviteServerState> {
  switch (event.on) {
    case 'retransmission':
      // RFC 6026 leaves the 2xx to the transaction user; retransmitting it here immediately saves the caller half a
      // second.
      return state.phase === 'confirmed' || state.phase === 'terminated'
        ? { state, effects: NO_EFFECTS }
        : { state, effects: [RESEND] };
    case 'respond':
      return respond(state, event.status, timers, reliable);
    case 'ack':
      if (state.phase === 'accepted') return { state, effects: [PASS] };
      if (state.phase !== 'completed') return { state, effects: NO_EFFECTS };
      if (reliable) return over(state, [STOP_RETRANSMITTING, END]);
      return {
        state: { ...state, phase: 'confirmed' },
        effects: [STOP_RETRANSMITTING, arm('limit', timers.t4)],
      };
    case 'repeat': {
      if (state.phase !== 'completed') return { state, effects: NO_EFFECTS };
      const repeatMs = Math.min(state.repeatMs * 2, timers.t2);
      return { state: { ...state, repeatMs }, effects: [RESEND, arm('repeat', repeatMs)] };
    }
    case 'limit':
      return over(state, state.phase === 'completed' ? [TIMED_OUT, END] : [END]);
    case 'transport-error':
      return state.phase === 'completed'
        ? over(state, [TRANSPORT_FAILED, END])
        : { state, effects: NO_EFFECTS };
  }
}

function respond(
  state: InviteServerState,
  status: number,
  timers: TimerValues,
  reliable: boolean,
): Step<InviteServerState> {
  if (state.phase !== 'proceeding') return { state, effects: NO_EFFECTS };
  if (status < 200) return { state, effects: [SEND] };
  if (status < 300) {
    return {
      state: { ...state, phase: 'accepted' },
      effects: [SEND, arm('limit', timers.transactionTimeout)],
    };
  }
  const effects: Effect[] = [SEND, arm('limit', timers.transactionTimeout)];
  // A stream loses nothing, so the response is not retransmitted on one.
  if (!reliable) effects.push(arm('repeat', timers.t1));
  return { state: { phase: 'completed', repeatMs: timers.t1 }, effects };
}

function over(state: InviteServerState, effects: readonly Effect[]): Step<InviteServerState> {
  return { state: { ...state, phase: 'terminated' }, effects };
}
