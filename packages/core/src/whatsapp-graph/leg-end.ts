/**
 * How WhatsApp ended a customer's leg, in the form in which media reports the end of a carrier leg, so that the call machine needs no
 * knowledge of WhatsApp. Pure.
 */
import type { LegEnd, ResponseClass } from '@clarion/protocol/media';
import type { StoredWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import type { WhatsAppEnd } from './call-progress.ts';
import { messageOfGraphError, messageOfSilence } from './graph-errors.ts';
import type { GraphError, GraphSilence } from './graph-errors.ts';

const endOf = (
  cause: LegEnd['cause'],
  response: ResponseClass,
  message: string,
  code: number | null = null,
): LegEnd => ({
  cause,
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: true,
  message,
  provider: { response, code },
});

/** A webhook reported the end of the call. */
export function legEndOf(end: WhatsAppEnd, direction: NonNullable<StoredWhatsAppCall['direction']>): LegEnd {
  switch (end.kind) {
    case 'completed':
      return endOf('remote-bye', 'no-answer', 'The customer hung up.');
    case 'rejected':
      return endOf('rejected', 'refused', 'The customer rejected the WhatsApp call.');
    case 'unanswered':
      return direction === 'USER_INITIATED'
        ? endOf('remote-cancel', 'no-answer', 'The customer hung up before the call was answered.')
        : endOf('rejected', 'no-answer', 'The customer did not answer the WhatsApp call.');
    case 'failed':
      return endOf('provider-error', 'carrier-error', messageOfGraphError(end.error), end.error.code);
  }
}

/** Meta refused to place the call, or to connect one that it had announced. */
export const legEndOfRefusal = (error: GraphError): LegEnd =>
  endOf('rejected', 'not-allowed', messageOfGraphError(error), error.code);

/** No usable response: the call was not placed, or its state at Meta is not known and it is terminated. */
export const legEndOfSilence = (silence: GraphSilence): LegEnd =>
  endOf('unreachable', 'carrier-error', messageOfSilence(silence));

/** The process that sent a connect or accept request died before it knew the result. It is not repeated. */
export const legEndOfInterruption = (): LegEnd => ({
  ...endOf(
    'unreachable',
    'carrier-error',
    'The service was interrupted while it waited for the response of WhatsApp. The call is not repeated.',
  ),
  reason: 'service_error',
});
