/**
 * The form of the four transaction state machines: `step(state, event) → { state, effects }`, pure. The layer carries
 * out the effects.
 */

/** At most two timers run in any state: `repeat` (A, E, G) and `limit` (B, D, F, H, I, J, K, L, M). */
export type TimerName = 'repeat' | 'limit';

export type Effect =
  /** Sends the message of the event (server) or the request for the first time (client). */
  | { readonly do: 'send' }
  /** Sends the last message again. */
  | { readonly do: 'resend' }
  /** Sends the ACK of a non-2xx final response (INVITE client). */
  | { readonly do: 'ack' }
  | { readonly do: 'arm'; readonly timer: TimerName; readonly ms: number }
  | { readonly do: 'disarm'; readonly timer: TimerName }
  /** Passes the event's message to the transaction user. */
  | { readonly do: 'pass' }
  /** There was no response in time, or the transport failed. */
  | { readonly do: 'fail'; readonly cause: 'timeout' | 'transport' }
  /** Removes the transaction. */
  | { readonly do: 'end' };

export interface Step<S> {
  readonly state: S;
  readonly effects: readonly Effect[];
}

export const NO_EFFECTS: readonly Effect[] = [];
export const SEND: Effect = { do: 'send' };
export const RESEND: Effect = { do: 'resend' };
export const ACK: Effect = { do: 'ack' };
export const PASS: Effect = { do: 'pass' };
export const END: Effect = { do: 'end' };
export const STOP_RETRANSMITTING: Effect = { do: 'disarm', timer: 'repeat' };
export const TIMED_OUT: Effect = { do: 'fail', cause: 'timeout' };
export const TRANSPORT_FAILED: Effect = { do: 'fail', cause: 'transport' };

export function arm(timer: TimerName, ms: number): Effect {
  return { do: 'arm', timer, ms };
}
