/** The timer values of RFC 3261 §17 (table 4), derived from T1 so that tests can shorten them. */

export interface TimerValues {
  /** Round-trip estimate: the first retransmission on UDP. Ms. */
  readonly t1: number;
  /** Maximum retransmission interval for non-INVITE requests and INVITE responses. Ms. */
  readonly t2: number;
  /** How long a message can remain in the network. Ms. */
  readonly t4: number;
  /** Timers B, F, H, J, L, M: 64*T1. Ms. */
  readonly transactionTimeout: number;
  /** Timer D: at least 32 s on UDP. Ms. */
  readonly d: number;
}

/** RFC 3261 §17.1.1.1. Ms. */
export const T1_MS = 500;
const T2_IN_T1 = 8;
const T4_IN_T1 = 10;
const TIMEOUT_IN_T1 = 64;

export function timerValues(t1: number = T1_MS): TimerValues {
  const transactionTimeout = TIMEOUT_IN_T1 * t1;
  return { t1, t2: T2_IN_T1 * t1, t4: T4_IN_T1 * t1, transactionTimeout, d: transactionTimeout };
}
