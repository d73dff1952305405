/**
 * The registration of one trunk with its carrier (RFC 3261, section 10) as a pure function: `step(state, event, now, random)` returns the next
 * state and what to do. One REGISTER at most is in flight.
 *
 * registering: the first one is in flight. registered: the binding lasts until `expiresAt` and
 * is refreshed at `dueAt`, well before. A refresh that gets no response is repeated, at another destination of the trunk if it has one, and
 * the trunk stays registered until the binding expires. A registrar that rejects it ends the registration immediately. failed: no
 * destination is registered; the next one is tried at `dueAt`, and after the last one the first again with growing pauses, after a rejection
 * with long ones, because only a person can correct it.
 */
import { failures, type FailureCode, type TrunkRegistration } from '@clarion/protocol';
import type { RegisterReply } from '@clarion/protocol/carrier-requests';

/** The time asked for. Short enough that a registrar that has lost its bindings has ours again within minutes. Seconds. */
export const EXPIRES_SECONDS = 600;
/** A longer time than this is not granted to a Min-Expires. Seconds. */
const MAX_EXPIRES_SECONDS = 86_400;
/** When a binding is refreshed, as shares of the granted time. */
const REFRESH_FROM = 0.5;
const REFRESH_TO = 0.9;
/** Pauses after a registration without response or with a server error: doubled each time. Ms. */
const RETRY_FIRST_MS = 5_000;
const RETRY_LONGEST_MS = 120_000;
/** Pauses after a rejection. Ms. */
const REJECTED_FIRST_MS = 60_000;
const REJECTED_LONGEST_MS = 3_600_000;
/** A Retry-After that is longer is shortened to this. Ms. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;
/** Pauses vary by this share, so that the trunks of a carrier do not return together. */
const JITTER = 0.2;

export interface RegistrationState {
  phase: 'registering' | 'registered' | 'failed';
  /** The destination that is tried: 0 is the trunk's own host. */
  destination: number;
  /** Destinations that have not responded since the last response or pause. */
  unanswered: number;
  /** Attempts in a row that failed. */
  failures: number;
  /** The time to ask for: longer after a 423. */
  askSeconds: number;
  inFlight: boolean;
  /** When the next REGISTER is due; ignored while one is in flight. Ms since the epoch. */
  dueAt: number;
  /** The end of the binding; null: there is none. Ms since the epoch. */
  expiresAt: number | null;
  /** Where it is registered. */
  target: string | null;
  address: string | null;
  /** Of the last failure. */
  status: number | null;
  code: FailureCode | null;
}

export type RegistrationEvent =
  /** Time has passed. */
  | { type: 'tick' }
  | { type: 'reply'; reply: RegisterReply }
  /** The request could not be sent: no media node is connected to the SIP server. */
  | { type: 'not-sent' }
  /** The media node whose address is our contact is gone: the binding must be renewed through another. */
  | { type: 'contact-lost' };

export interface RegistrationStep {
  state: RegistrationState;
  /** Send a REGISTER to this destination. */
  send: { destination: number; expiresSeconds: number } | null;
}

export const startRegistration = (now: number): RegistrationState => ({
  phase: 'registering',
  destination: 0,
  unanswered: 0,
  failures: 0,
  askSeconds: EXPIRES_SECONDS,
  inFlight: false,
  dueAt: now,
  expiresAt: null,
  target: null,
  address: null,
  status: null,
  code: null,
});

/**
 * Of a trunk that another node has registered: the binding is renewed immediately, and lasts until then.
 *
 * @param address as stored with it
 */
export function resumeRegistration(
  stored: TrunkRegistration | null,
  address: string | null,
  now: number,
): RegistrationState {
  const expiresAt = stored?.expiresAt === null || stored === null ? 0 : Date.parse(stored.expiresAt);
  const fresh = startRegistration(now);
  if (stored?.state !== 'REGISTERED' || address === null || !(expiresAt > now)) return fresh;
  return { ...fresh, phase: 'registered', expiresAt, target: stored.target, address, status: 200 };
}

/**
 * @param destinations how many the trunk has, at least 1
 * @param random from 0 to 1
 */
export function stepRegistration(
  before: RegistrationState,
  event: RegistrationEvent,
  { now, random, destinations }: { now: number; random: number; destinations: number },
): RegistrationStep {
  const state = expired(before, now);
  switch (event.type) {
    case 'tick':
      return due(state, now);
    case 'reply':
      return { state: replied(state, event.reply, { now, random, destinations }), send: null };
    case 'not-sent':
      return { state: { ...state, inFlight: false, dueAt: now + RETRY_FIRST_MS }, send: null };
    case 'contact-lost':
      return due({ ...state, dueAt: now }, now);
  }
}

function due(state: RegistrationState, now: number): RegistrationStep {
  if (state.inFlight || now < state.dueAt) return { state, send: null };
  return {
    state: { ...state, inFlight: true },
    send: { destination: state.destination, expiresSeconds: state.askSeconds },
  };
}

/** A binding that has ended is no registration, whatever is in flight. */
function expired(state: RegistrationState, now: number): RegistrationState {
  if (state.phase !== 'registered' || state.expiresAt === null || now < state.expiresAt) return state;
  return {
    ...state,
    ...unbound,
    phase: 'failed',
    status: state.status,
    code: state.code ?? 'registration_no_response',
  };
}

const unbound = { expiresAt: null, target: null, address: null };

function replied(
  state: RegistrationState,
  reply: RegisterReply,
  context: { now: number; random: number; destinations: number },
): RegistrationState {
  const settled = { ...state, inFlight: false };
  const { status } = reply;
  if (status !== null && status >= 200 && status < 300 && (reply.expiresSeconds ?? 0) > 0)
    return granted(settled, reply, reply.expiresSeconds ?? 0, context);
  if (status === 423 && reply.minExpiresSeconds !== null && reply.minExpiresSeconds > state.askSeconds) {
    if (reply.minExpiresSeconds <= MAX_EXPIRES_SECONDS)
      return { ...settled, askSeconds: reply.minExpiresSeconds, dueAt: context.now };
  }
  const isUnreachable = status === null || status === 408 || (status >= 500 && status < 600);
  return isUnreachable ? unreachable(settled, reply, context) : rejected(settled, reply, context);
}

function granted(
  state: RegistrationState,
  { target, address }: RegisterReply,
  expiresSeconds: number,
  { now, random }: { now: number; random: number },
): RegistrationState {
  const share = REFRESH_FROM + (REFRESH_TO - REFRESH_FROM) * random;
  return {
    ...state,
    phase: 'registered',
    unanswered: 0,
    failures: 0,
    dueAt: now + Math.round(expiresSeconds * share * 1_000),
    expiresAt: now + expiresSeconds * 1_000,
    target,
    address,
    status: 200,
    code: null,
  };
}

/** No response, or a server error: the next destination immediately, and after the last one a pause. */
function unreachable(
  state: RegistrationState,
  reply: RegisterReply,
  { now, random, destinations }: { now: number; random: number; destinations: number },
): RegistrationState {
  const unanswered = state.unanswered + 1;
  const failed: RegistrationState = {
    ...state,
    phase: state.phase === 'registered' ? 'registered' : 'failed',
    destination: (state.destination + 1) % destinations,
    status: reply.status,
    code: reply.status === null ? (reply.code ?? 'registration_no_response') : 'registration_error',
  };
  if (unanswered < destinations) return { ...failed, unanswered, dueAt: now };
  const failures = state.failures + 1;
  const pause = pauseMs(RETRY_FIRST_MS, RETRY_LONGEST_MS, failures, random);
  return { ...failed, unanswered: 0, failures, dueAt: now + Math.max(pause, retryAfterMs(reply)) };
}

/** A final response that another destination of the carrier would give too. */
function rejected(
  state: RegistrationState,
  reply: RegisterReply,
  { now, random }: { now: number; random: number },
): RegistrationState {
  const failures = state.failures + 1;
  const pause = pauseMs(REJECTED_FIRST_MS, REJECTED_LONGEST_MS, failures, random);
  return {
    ...state,
    ...unbound,
    phase: 'failed',
    unanswered: 0,
    failures,
    status: reply.status,
    code: rejectionCode(reply.status),
    dueAt: now + Math.max(pause, retryAfterMs(reply)),
  };
}

function rejectionCode(status: number | null): FailureCode {
  if (status === 401 || status === 403 || status === 407) return 'registration_rejected';
  return status === 404 ? 'registration_not_found' : 'registration_error';
}

const pauseMs = (first: number, longest: number, failures: number, random: number): number =>
  Math.round(Math.min(longest, first * 2 ** (failures - 1)) * (1 + JITTER * (2 * random - 1)));

const retryAfterMs = ({ retryAfterSeconds }: RegisterReply): number =>
  Math.min(LONGEST_RETRY_AFTER_MS, (retryAfterSeconds ?? 0) * 1_000);

const states = { registering: 'REGISTERING', registered: 'REGISTERED', failed: 'FAILED' } as const;

/** As it is stored. While registered, a failed refresh is not shown: calls still arrive. */
export function presentRegistration(
  { phase, status, code, expiresAt, target }: RegistrationState,
  at: Date,
): TrunkRegistration {
  const failure = phase === 'failed' ? code : null;
  return {
    state: states[phase],
    status: phase === 'registered' ? 200 : status,
    error: failure === null ? null : failures[failure].text,
    code: failure,
    at: at.toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    target,
  };
}
