/** How a SIP leg ended, as a `LegEnd` of the media protocol. Pure. */
import type { LegEnd } from '@clarion/protocol/media';
import { parseQ850 } from './headers.ts';
import type { SipMessage, SipRejection } from './srf.ts';

export function localEnd(cause: LegEnd['cause'], message: string, more: Partial<LegEnd> = {}): LegEnd {
  return { cause, sipStatus: null, sipReason: null, q850: null, provisional: false, message, ...more };
}

/** The remote party's BYE, or its CANCEL before an answer. */
export function remoteEnd(
  cause: 'remote-bye' | 'remote-cancel',
  request: SipMessage,
  message: string,
): LegEnd {
  return localEnd(cause, message, { q850: parseQ850(request.get('Reason')) });
}

/** Whether the SIP server itself sent a BYE for this reason. A remote party may send the same Reason. */
export function isFromSipServer(bye: SipMessage, why: 'ACK timeout' | 'Session timer expired'): boolean {
  return bye.source === 'application' && (bye.get('Reason') ?? '').includes(`text="${why}"`);
}

/**
 * The end of an answered call by BYE: from the remote party, or from the SIP server after too long without an ACK or
 * refresh.
 */
export function byeEnd(bye: SipMessage, reason: string): LegEnd {
  const gaveUp = isFromSipServer(bye, 'ACK timeout') || isFromSipServer(bye, 'Session timer expired');
  return gaveUp
    ? localEnd('unreachable', `the SIP server gave up: ${reason}`)
    : remoteEnd('remote-bye', bye, reason);
}

/**
 * A final response of 300 or more to our INVITE, or none. `ours` is why we cancelled, if we did; then any final
 * response (487, or a generated one) only confirms it. A response that the SIP server generated itself has no source
 * address.
 */
export function failedDial(
  error: SipRejection,
  ours: { cause: 'local' | 'no-answer-local'; message: string } | null,
  provisional: boolean,
): LegEnd {
  const { res } = error;
  const facts = {
    sipStatus: error.status ?? null,
    sipReason: error.reason ?? res?.reason ?? null,
    q850: parseQ850(res?.get('Reason')),
    provisional,
  };
  if (ours) return localEnd(ours.cause, ours.message, facts);
  if (error.status === undefined) return localEnd('unreachable', error.message, { provisional });
  const invented = res !== undefined && res.source_address === '';
  if (invented) return localEnd('unreachable', `no response from the remote party (${error.status})`, facts);
  return localEnd('rejected', `the remote party responded with ${error.status}`, facts);
}
