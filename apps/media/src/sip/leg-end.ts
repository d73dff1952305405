/** The raw facts of how a SIP leg ended, in the words of the media protocol. Pure. */
import type { LegEnd } from '@clarion/protocol/media';
import { parseQ850 } from './headers.ts';
import type { SipMessage, SipRejection } from './srf.ts';

export function localEnd(cause: LegEnd['cause'], message: string, more: Partial<LegEnd> = {}): LegEnd {
  return { cause, sipStatus: null, sipReason: null, q850: null, provisional: false, message, ...more };
}

/** The far end's BYE, or its CANCEL before an answer. */
export function remoteEnd(
  cause: 'remote-bye' | 'remote-cancel',
  request: SipMessage,
  message: string,
): LegEnd {
  return localEnd(cause, message, { q850: parseQ850(request.get('Reason')) });
}

/** True for a BYE that the SIP server sent by itself for this reason. A far end may write the same Reason. */
export function isFromSipServer(bye: SipMessage, why: 'ACK timeout' | 'Session timer expired'): boolean {
  return bye.source === 'application' && (bye.get('Reason') ?? '').includes(`text="${why}"`);
}

/** The end of an answered call by BYE: of the far end, or of the SIP server when it has not heard from it for too long. */
export function byeEnd(bye: SipMessage, reason: string): LegEnd {
  const gaveUp = isFromSipServer(bye, 'ACK timeout') || isFromSipServer(bye, 'Session timer expired');
  return gaveUp
    ? localEnd('unreachable', `the SIP server gave up: ${reason}`)
    : remoteEnd('remote-bye', bye, reason);
}

/**
 * A final answer of 300 or more to our INVITE, or none. `ours` is why we cancelled, when we did: then whatever final answer came
 * (487, or an invented one) only confirms it. An answer that no far end sent, invented by the SIP server, has no address.
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
