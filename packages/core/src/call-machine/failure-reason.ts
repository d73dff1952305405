/** The entry of the failure catalogue for the end of a customer's leg. Pure. What media reports itself always takes precedence. */
import type { FailureCode } from '@clarion/protocol';
import type { LegEnd, ResponseClass } from '@clarion/protocol/media';

const byResponse: Record<ResponseClass, FailureCode> = {
  busy: 'busy',
  refused: 'declined',
  'no-answer': 'no_answer',
  'no-such-number': 'number_not_found',
  'not-allowed': 'carrier_forbids',
  codecs: 'codecs_rejected',
  'carrier-error': 'carrier_error',
};

/** How carriers name the caller ID in the reason phrase of a 403, such as "Invalid CLI" and "Caller-ID not allowed". */
const CALLER_ID = /caller[\s_-]?id|\bCLI\b|\bANI\b|\bFrom\b/i;

/** The carrier's final response to our INVITE. */
export function reasonOfResponse(end: LegEnd, response: ResponseClass): FailureCode {
  if (end.reason) return end.reason;
  const personDecided = response === 'busy' || response === 'refused' || response === 'no-answer';
  if (end.provider && !personDecided) return 'whatsapp_refused';
  if (response !== 'not-allowed' && response !== 'carrier-error') return byResponse[response];
  switch (end.sipStatus) {
    case 401:
    case 407:
      return 'credentials_rejected';
    case 403:
      return CALLER_ID.test(end.sipReason ?? '') ? 'caller_id_rejected' : byResponse[response];
    case 428: // use identity header (RFC 8224)
    case 433: // anonymity disallowed (RFC 5079)
    case 436: // bad identity info
    case 437: // unsupported credential
    case 438: // invalid identity header
      return 'caller_id_rejected';
    default:
      return isRedirection(end.sipStatus) ? 'redirect_not_followed' : byResponse[response];
  }
}

const isRedirection = (status: number | null): boolean => status !== null && status >= 300 && status < 400;

const REQUEST_TIMEOUT = 408;

/** There was no response to our INVITE: a 408 of our own SIP server means silence, anything else a failed connection. */
export function reasonOfSilence(end: LegEnd): FailureCode {
  if (end.reason) return end.reason;
  if (end.provider) return 'whatsapp_refused';
  return end.sipStatus === REQUEST_TIMEOUT ? 'carrier_no_response' : 'carrier_unreachable';
}
