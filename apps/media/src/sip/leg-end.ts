/** How a SIP leg ended, as a `LegEnd` of the media protocol. Pure. */
import type { FailureCode } from '@clarion/protocol';
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

/** Why we cancelled an INVITE. */
export interface Cancelled {
  cause: 'local' | 'no-answer-local';
  message: string;
}

/**
 * A final response of 300 or more to our INVITE, or none. `ours` is why we cancelled, if we did; then any final
 * response (487, or a generated one) only confirms it. A response that the SIP server generated itself has no source
 * address.
 */
export function failedDial(error: SipRejection, ours: Cancelled | null, provisional: boolean): LegEnd {
  const { res, status } = error;
  const facts = {
    sipStatus: status ?? null,
    sipReason: error.reason ?? res?.reason ?? null,
    q850: parseQ850(res?.get('Reason')),
    provisional,
  };
  if (ours) return localEnd(ours.cause, ours.message, facts);
  if (status === undefined)
    return localEnd('unreachable', error.message, { provisional, reason: 'carrier_unreachable' });
  if (res !== undefined && res.source_address === '') {
    const code = networkError(res);
    const message = `no response from the remote party (${code ?? status})`;
    return localEnd('unreachable', message, { ...facts, reason: failureOf(status, code) });
  }
  const message = `the remote party responded with ${status}`;
  const reason = reasonOf(status);
  return localEnd('rejected', message, { ...facts, ...(reason && { reason }) });
}

/** The hop has sent nothing. */
export const silentHop = (): LegEnd =>
  localEnd('unreachable', 'no response from the remote party', { reason: 'carrier_no_response' });

/** The remote party has answered, but its 2xx creates no dialog: it has no Contact (RFC 3261 §12.1.1). */
export const unusableAnswer = (sipStatus: number): LegEnd =>
  localEnd('media-error', `the ${sipStatus} of the remote party creates no dialog`, {
    sipStatus,
    reason: 'answer_unusable',
  });

/** The embedded SIP server puts the code of a network or TLS error into a Warning header (RFC 3261 §20.43). */
const networkError = (res: SipMessage): string | null =>
  /^399 clarion "(\w+)"$/.exec(res.get('Warning') ?? '')?.[1] ?? null;

/** Codes of OpenSSL and Node for certificates that are not trusted, have expired or have another name. */
const CERTIFICATE_ERROR = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET|DECRYPT|DECODE)|CRL_|HOSTNAME_MISMATCH/;

function failureOf(status: number, code: string | null): FailureCode {
  if (code === 'ENOTFOUND') return 'host_not_found';
  if (code !== null && CERTIFICATE_ERROR.test(code)) return 'tls_certificate';
  return status === 408 ? 'carrier_no_response' : 'carrier_unreachable';
}

function reasonOf(status: number): FailureCode | undefined {
  if (status < 400) return 'redirect_not_followed';
  return status === 401 || status === 407 ? 'credentials_rejected' : undefined;
}
