/** The state, events, actions and times of ice-checks.ts. */
import type { Endpoint } from './stun-address.ts';

export type IceRole = 'controlling' | 'controlled';

export interface IceTiming {
  /** Between the first checks of two pairs. */
  paceMs: number;
  /** Until the first repetition of a request; doubled for each further one, up to `maxRetryMs`. */
  firstRetryMs: number;
  maxRetryMs: number;
  /** How long a pair that has answered waits for one with a higher priority. */
  nominationWaitMs: number;
  /** For all checks until the nomination is answered. */
  limitMs: number;
  /** Of one pair: a party that does not know our description yet may refuse the first checks. */
  maxRefusals: number;
  consentIntervalMs: number;
  consentTimeoutMs: number;
}

export const ICE_TIMING: IceTiming = {
  paceMs: 50,
  firstRetryMs: 250,
  maxRetryMs: 500,
  nominationWaitMs: 50,
  limitMs: 20_000,
  maxRefusals: 10,
  // RFC 7675 §5.1.
  consentIntervalMs: 5_000,
  consentTimeoutMs: 30_000,
};

export interface CandidatePair {
  readonly remote: Endpoint;
  priority: number;
  state: 'unchecked' | 'checking' | 'answered' | 'failed';
  notBeforeMs: number;
  refusals: number;
  /** Whether the remote party, in the controlling role, has nominated the pair. */
  nominatedByRemote: boolean;
}

export interface ConnectivityCheck {
  readonly id: number;
  readonly pair: number;
  readonly purpose: 'reach' | 'nominate' | 'consent';
  readonly to: Endpoint;
  readonly role: IceRole;
  readonly sentAtMs: number;
  retryAtMs: number;
  retryMs: number;
}

export interface ChecksState {
  readonly timing: IceTiming;
  readonly tieBreaker: bigint;
  phase: 'waiting' | 'checking' | 'connected' | 'failed' | 'lost';
  role: IceRole;
  remoteLite: boolean;
  pairs: CandidatePair[];
  checks: ConnectivityCheck[];
  nextCheckId: number;
  /** Index of the pair that data uses. */
  selected: number | null;
  deadlineMs: number;
  nextPairAtMs: number;
  nominateAtMs: number;
  consentAtMs: number;
  consentUntilMs: number;
  lastRefusal: number | null;
}

export type IceEvent =
  | {
      kind: 'start';
      candidates: readonly (Endpoint & { priority: number })[];
      remoteLite: boolean;
    }
  /** An authentic response, from the address that the check was sent to. */
  | { kind: 'answered'; id: number }
  | { kind: 'refused'; id: number; code: number }
  /** An authentic request of the remote party. */
  | {
      kind: 'request';
      from: Endpoint;
      priority: number;
      useCandidate: boolean;
      role: { kind: IceRole; tieBreaker: bigint } | null;
    }
  | { kind: 'timer' };

export type IceAction =
  | { kind: 'send'; id: number; to: Endpoint; nominate: boolean; role: IceRole }
  /** The response to the request of this event. */
  | { kind: 'answer' }
  | { kind: 'refuse'; code: number }
  /** Data may be exchanged with this address. */
  | { kind: 'select'; remote: Endpoint }
  | { kind: 'connected' }
  /** `code`: of the last refusal, if any. */
  | { kind: 'failed'; code: number | null }
  | { kind: 'lost' };
