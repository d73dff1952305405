/**
 * The outcome of a call (docs/requirements.md#call-outcomes): the only place where a media or SIP ending becomes a status, a termination
 * reason and who ended it. Pure; every switch is exhaustive.
 */
import { failures } from '@clarion/protocol';
import type {
  CallStatus,
  FailureCode,
  FailureDetails,
  TerminationReason,
  Terminator,
} from '@clarion/protocol';
import type { LegEnd, ResponseClass } from '@clarion/protocol/media';
import { reasonOfResponse, reasonOfSilence } from './failure-reason.ts';

export interface Outcome {
  status: Extract<CallStatus, 'TERMINATED' | 'FAILED'>;
  terminationReason: TerminationReason;
  terminatedBy: Terminator;
  /** The raw facts of an ending in which a carrier or the network was involved; null if a person simply decided. */
  failureDetails: FailureDetails | null;
}

const terminated = (
  terminationReason: TerminationReason,
  terminatedBy: Terminator,
  failureDetails: FailureDetails | null = null,
): Outcome => ({ status: 'TERMINATED', terminationReason, terminatedBy, failureDetails });

const failed = (
  terminationReason: TerminationReason,
  terminatedBy: Terminator,
  failureDetails: FailureDetails,
): Outcome => ({ status: 'FAILED', terminationReason, terminatedBy, failureDetails });

/** Failure details of an ending without a SIP response. `message` is more concrete than the sentence of the catalogue; absent: that one. */
export const failureDetails = (reason: FailureCode, message?: string): FailureDetails => ({
  sipStatus: null,
  sipReason: null,
  q850: null,
  providerCode: null,
  message: message ?? failures[reason].text,
  reason,
});

/**
 * A provider that does not use SIP describes an ending better than the sentence of the catalogue. `message`: as in `failureDetails`, unless
 * media reported another reason.
 */
const factsOf = (end: LegEnd, reason: FailureCode, message?: string): FailureDetails => ({
  sipStatus: end.sipStatus,
  sipReason: end.sipReason,
  q850: end.q850,
  providerCode: end.provider?.code ?? null,
  message: end.provider
    ? end.message
    : end.reason
      ? failures[end.reason].text
      : (message ?? failures[reason].text),
  reason: end.reason ?? reason,
});

const providersOr = (end: LegEnd, reason: FailureCode): FailureCode =>
  end.provider ? 'whatsapp_refused' : reason;

/** Our own side, or the audio of the leg, failed. */
const serviceFailed = (end: LegEnd): Outcome =>
  failed('SYSTEM_ERROR', 'SYSTEM', { ...factsOf(end, 'service_error'), message: end.message });
const providerFailed = (end: LegEnd): Outcome =>
  failed('PROVIDER_ERROR', 'PROVIDER', factsOf(end, 'whatsapp_refused', end.message));

/** The response to the carrier for a DISABLED line (docs/requirements.md#call-outcomes). */
const LINE_DISABLED_STATUS = 480;

/** Endings that were decided on our side. */
export const outcomes = {
  completedBy: (by: Terminator) => terminated('COMPLETED', by),
  cancelledBy: (by: Terminator) => terminated('CANCELLED', by),
  /** The maximum duration was reached: the same outcome as if the consumer had ended the call. */
  tooLong: (answered: boolean) =>
    terminated(answered ? 'COMPLETED' : 'TIMEOUT', 'SYSTEM', failureDetails('maximum_duration')),
  intentExpired: () => terminated('CANCELLED', 'SYSTEM'),
  queueTimeout: () => terminated('TIMEOUT', 'SYSTEM'),
  ownerBusy: () => terminated('BUSY', 'SYSTEM'),
  /** No device, do-not-disturb, or no answer. */
  ownerDidNotAnswer: () => terminated('NO_ANSWER', 'SYSTEM'),
  ownerDeclined: () => terminated('REJECTED', 'AGENT'),
  /** The credit of the tenant or of the consumer was used up during the call. */
  creditExhausted: () => terminated('CREDIT_EXHAUSTED', 'SYSTEM'),
  noRoute: () => terminated('REJECTED', 'SYSTEM'),
  /** The consumer's lookup hook rejected the call. */
  lookupRejected: () => terminated('REJECTED', 'SYSTEM'),
  /** The agent named by a flow was not available or did not answer, and the flow had no exit for that. */
  flowAgentDidNotAnswer: () => terminated('IVR_AGENT_NO_ANSWER', 'SYSTEM'),
  /** A flow hung up: the caller spoke to no agent. */
  flowHungUp: () => terminated('NO_ANSWER', 'SYSTEM'),
  lineDisabled: () =>
    terminated('REJECTED', 'SYSTEM', {
      ...failureDetails('line_disabled'),
      sipStatus: LINE_DISABLED_STATUS,
    }),
  customerDidNotAnswer: () => terminated('NO_ANSWER', 'CUSTOMER', failureDetails('no_answer')),
  agentDisconnected: () => terminated('AGENT_DISCONNECTED', 'SYSTEM', failureDetails('agent_disconnected')),
  systemError: (message: string) =>
    failed('SYSTEM_ERROR', 'SYSTEM', failureDetails('service_error', message)),
  networkError: (reason: FailureCode, message?: string) =>
    failed('NETWORK_ERROR', 'SYSTEM', failureDetails(reason, message)),
  couldNotDial: (message: string, reason: FailureCode = 'service_error') =>
    failed('PROVIDER_TRIGGER_FAILED', 'SYSTEM', failureDetails(reason, message)),
} as const;

/** ITU-T Q.850 causes that are more specific than a SIP status. For the others (16, 31, 127 …) the status decides. */
function byQ850(cause: number | null): ResponseClass | null {
  switch (cause) {
    case 17:
      return 'busy';
    case 21:
      return 'refused';
    case 18: // no user responding
    case 19: // no answer from user
    case 20: // subscriber absent
      return 'no-answer';
    case 1: // unallocated number
    case 2: // no route to transit network
    case 3: // no route to destination
    case 22: // number changed
    case 28: // invalid number format
      return 'no-such-number';
    case 55: // incoming calls barred
    case 57: // bearer capability not authorised
      return 'not-allowed';
    case 88: // incompatible destination
      return 'codecs';
    case 27: // destination out of order
    case 34: // no circuit
    case 38: // network out of order
    case 41: // temporary failure
    case 42: // congestion
    case 44: // requested circuit not available
    case 47: // resource unavailable
      return 'carrier-error';
    default:
      return null;
  }
}

function byStatus(status: number, provisional: boolean): ResponseClass {
  switch (status) {
    case 486:
    case 600:
      return 'busy';
    case 603:
    case 607: // unwanted (RFC 8197)
    case 608: // rejected by an intermediary (RFC 8688)
      return 'refused';
    case 480:
      return 'no-answer';
    case 408:
      return provisional ? 'no-answer' : 'carrier-error';
    case 404:
    case 410:
    case 484:
    case 485:
    case 604:
      return 'no-such-number';
    case 401:
    case 402:
    case 403:
    case 407:
      return 'not-allowed';
    case 488:
    case 606:
      return 'codecs';
    default:
      return 'carrier-error';
  }
}

/**
 * `Reason: Q.850` takes precedence over the status, with one exception: gateways derive 21 (call rejected) from 401, 402, 403 and 407,
 * which concern our account, never the customer.
 */
function responseClassOf(end: LegEnd): ResponseClass {
  if (end.provider) return end.provider.response;
  const status = byStatus(end.sipStatus ?? 500, end.provisional);
  const cause = byQ850(end.q850);
  if (status === 'not-allowed' && cause === 'refused') return status;
  return cause ?? status;
}

/** The customer's leg of an outbound call ended before it was answered, and not because we hung up. */
export function outcomeOfDialling(end: LegEnd): Outcome {
  switch (end.cause) {
    case 'rejected': {
      const answer = responseClassOf(end);
      const details = factsOf(end, reasonOfResponse(end, answer));
      switch (answer) {
        case 'busy':
        case 'refused':
          return terminated('REJECTED', 'CUSTOMER', details);
        case 'no-answer':
          return terminated('NO_ANSWER', 'CUSTOMER', details);
        case 'no-such-number':
        case 'codecs':
        case 'carrier-error':
          return failed('PROVIDER_ERROR', 'PROVIDER', details);
        case 'not-allowed':
          return failed('PROVIDER_TRIGGER_FAILED', 'PROVIDER', details);
        default:
          return assertNever(answer);
      }
    }
    case 'no-answer-local':
      return terminated('NO_ANSWER', 'CUSTOMER', factsOf(end, 'no_answer'));
    case 'unreachable':
      return failed('PROVIDER_TRIGGER_FAILED', 'SYSTEM', factsOf(end, reasonOfSilence(end)));
    case 'remote-bye':
    case 'remote-cancel':
      return failed('PROVIDER_ERROR', 'PROVIDER', factsOf(end, 'carrier_cancelled'));
    case 'rtp-timeout':
      return failed(
        'NETWORK_ERROR',
        'SYSTEM',
        factsOf(end, 'no_audio', 'No audio was received from the carrier.'),
      );
    case 'provider-error':
      return providerFailed(end);
    case 'local':
    case 'media-error':
      return serviceFailed(end);
    default:
      return assertNever(end.cause);
  }
}

/** A provider refused our request to accept the customer's call. A carrier cannot: it only acknowledges our answer. */
const isRefusedAcceptance = ({ cause, provider }: LegEnd): boolean =>
  cause === 'rejected' && provider !== undefined;

/** A caller's leg ended before an agent had the call. */
export function outcomeOfWaiting(end: LegEnd): Outcome {
  switch (end.cause) {
    case 'remote-cancel':
    case 'remote-bye':
      return outcomes.cancelledBy('CUSTOMER');
    case 'rejected':
    case 'unreachable':
    case 'no-answer-local':
      if (isRefusedAcceptance(end)) return providerFailed(end);
      return failed('NETWORK_ERROR', 'SYSTEM', factsOf(end, providersOr(end, 'answer_not_acknowledged')));
    case 'rtp-timeout':
      return failed(
        'NETWORK_ERROR',
        'SYSTEM',
        factsOf(end, 'no_audio', 'No audio was received from the caller.'),
      );
    case 'provider-error':
      return providerFailed(end);
    case 'local':
    case 'media-error':
      return serviceFailed(end);
    default:
      return assertNever(end.cause);
  }
}

/** The customer's leg of a conversation ended. (An agent hangs up with a message; a disconnected agent may return.) */
export function outcomeOfTalking(end: LegEnd): Outcome {
  switch (end.cause) {
    case 'remote-bye':
    case 'remote-cancel':
      return outcomes.completedBy('CUSTOMER');
    case 'rtp-timeout':
      return failed(
        'NETWORK_ERROR',
        'SYSTEM',
        factsOf(end, 'no_audio', 'No audio was received from the customer.'),
      );
    case 'rejected':
    case 'unreachable':
    case 'no-answer-local':
      if (isRefusedAcceptance(end)) return providerFailed(end);
      return failed('NETWORK_ERROR', 'SYSTEM', factsOf(end, providersOr(end, 'carrier_lost')));
    case 'provider-error':
      return providerFailed(end);
    case 'local':
    case 'media-error':
      return serviceFailed(end);
    default:
      return assertNever(end.cause);
  }
}

/** The SIP status for the carrier of an unanswered inbound call (docs/requirements.md#call-outcomes). */
export function sipStatusOf(reason: TerminationReason, by: Terminator): number {
  switch (reason) {
    case 'BUSY':
      return 486;
    case 'REJECTED':
      return 603;
    case 'NO_ANSWER':
    case 'TIMEOUT':
    case 'IVR_AGENT_NO_ANSWER':
      return 480;
    case 'CANCELLED':
      return by === 'CONSUMER' ? 603 : 480;
    case 'CREDIT_EXHAUSTED':
      return 503;
    case 'COMPLETED':
    case 'AGENT_DISCONNECTED':
    case 'PROVIDER_TRIGGER_FAILED':
    case 'PROVIDER_ERROR':
    case 'SYSTEM_ERROR':
    case 'NETWORK_ERROR':
      return 480;
    default:
      return assertNever(reason);
  }
}

export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
